// Attachments: pictures, PDF and text up to a limit, from a drop, a paste or the button.
import { t } from '../shared/i18n';
import type { Attachment } from '../shared/wire';

const limit = 10; // MB of one file
const text = /\.(txt|md|csv|tsv|json|ya?ml|xml|log|ini|toml|html?|css|[jt]sx?|py|go|rs|sh|sql)$/i;

// kindOf is the type to send a file as, "" for one that cannot be attached.
export function kindOf(f: { name: string; type: string }): string {
  if (/^image\/(png|jpeg|gif|webp)$/.test(f.type) || f.type === 'application/pdf') return f.type;
  return f.type.startsWith('text/') || f.type === 'application/json' || text.test(f.name) ? 'text/plain' : '';
}

// read turns files into attachments; what is wrong with the others is said in words.
export async function read(files: Iterable<File>): Promise<{ good: Attachment[]; bad: string[] }> {
  const good: Attachment[] = [], bad: string[] = [];
  for (const f of files) {
    const mime = kindOf(f);
    if (!mime) bad.push(t('file.kind', { name: f.name }));
    else if (f.size > limit << 20) bad.push(t('file.big', { name: f.name, limit }));
    else {
      const data = await base64(f).catch(() => null);
      if (data === null) bad.push(t('file.none', { name: f.name }));
      else good.push({ name: f.name, mime, data });
    }
  }
  return { good, bad };
}

function base64(f: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const r = new FileReader();
    r.onload = () => resolve(String(r.result).replace(/^[^,]*,/, ''));
    r.onerror = () => reject(r.error ?? new Error('unreadable'));
    r.readAsDataURL(f);
  });
}
