import type { ComponentChildren, JSX } from 'preact'

/** The meaning of a badge, which decides its color. The text says it, too. */
export type Tone = 'good' | 'neutral' | 'warning' | 'bad'

interface BadgeProps {
  readonly tone?: Tone
  readonly children: ComponentChildren
}

export function Badge({ tone = 'neutral', children }: BadgeProps): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** The status of a response; 0 when there was none. */
export function StatusBadge({ status }: { readonly status: number }): JSX.Element {
  return <Badge tone={toneOf(status)}>{status === 0 ? 'no response' : status}</Badge>
}

function toneOf(status: number): Tone {
  if (status === 0 || status >= 500) return 'bad'
  if (status >= 400) return 'warning'
  return status >= 300 ? 'neutral' : 'good'
}
