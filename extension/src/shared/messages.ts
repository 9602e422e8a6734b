// Holds the types of wire.ts to the messages in testdata/relay, as the Go side is held by a test. It is checked, and
// never bundled.
import messages from '../../../testdata/relay/messages.json';
import type { Answer, Attachment, Bundle, Challenge, Check, Event, Failure, ClientInfo, Grant, Hello, LocalServer, Methods, NewProvider, Offer, Pair, Paired, ProviderEntry, Question, SessionInfo, Told, Command, Welcome } from './wire';

// JSON's types say `string` where ours say which ones.
type Loose<T> = T extends string ? string : T extends (infer E)[] ? Loose<E>[] : T extends object ? { [K in keyof T]: Loose<T[K]> } : T;

export const held: {
  challenge: Challenge; hello: Loose<Hello>; 'hello of a panel': Loose<Hello>; welcome: Welcome; pair: Pair; paired: Paired; told: Told; command: Command;
  failure: Failure; event: Event; session: SessionInfo; start: Loose<Methods['run.start'][0]> & { attachments?: Attachment[] }; question: Loose<Question>; answer: Loose<Answer>;
  'provider entry': ProviderEntry; 'new provider': NewProvider; offer: Offer; grant: Grant; client: ClientInfo;
  'local server': LocalServer; check: Check; import: Bundle;
} = messages;
