// Line icons on a grid of 16, drawn for this panel; they say nothing to a screen reader, their buttons do.
const paths = {
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  send: 'M8 13V3.5M3.8 7.5L8 3.3l4.2 4.2',
  stop: 'M4.5 4.5h7v7h-7z',
  clip: 'M11.8 7.3l-4.3 4.3a2.4 2.4 0 01-3.4-3.4l5-5a1.6 1.6 0 012.3 2.3l-4.8 4.8a.8.8 0 01-1.2-1.1l4-4',
  trash: 'M3 4.5h10M6.3 4.3V3h3.4v1.3M4.3 4.8l.6 8.2h6.2l.6-8.2',
  up: 'M4 9.5L8 5.5l4 4',
  down: 'M4 6.5l4 4 4-4',
  detail: 'M2.5 4h2M2.5 8h2M2.5 12h2M7 4h6.5M7 8h6.5M7 12h6.5',
  check: 'M3.2 8.5l3.1 3.1 6.5-7',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  ask: 'M6 6.2a2 2 0 113.2 1.6C8.5 8.3 8 8.7 8 9.6M8 12v.3',
  dot: 'M8 7.4v1.2',
  warn: 'M8 2.8l5.8 10.4H2.2zM8 6.6v3.2M8 11.4v.2',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  gear: 'M2.5 4.5h5M11 4.5h2.5M2.5 11.5H5M8.5 11.5h5M9.2 2.8a1.7 1.7 0 110 3.4 1.7 1.7 0 010-3.4zM6.7 9.8a1.7 1.7 0 110 3.4 1.7 1.7 0 010-3.4z',
  hand: 'M3 8.2l2.4 3.6h5.2L13 5.6M5.5 8V3.8M8 7.6V3M10.5 7.8V4.2',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} fill={name === 'stop' ? 'currentColor' : 'none'} />
    </svg>
  );
}
