import type { ComponentChildren, JSX } from 'preact'

interface GaugeProps {
  /** Such as "Minute". */
  readonly label: string
  readonly remaining: number
  readonly limit: number
  /** Such as the time until the reset. */
  readonly children?: ComponentChildren
}

/** How much of a quota is left, as a bar that runs down. */
export function Gauge({ label, remaining, limit, children }: GaugeProps): JSX.Element {
  const part = limit > 0 ? Math.max(0, Math.min(1, remaining / limit)) : 0

  return (
    <div class={`gauge ${levelOf(part)}`}>
      <div class="gauge-text">
        <span>{label}</span>
        <span>
          <b>{remaining.toLocaleString('en')}</b> of {limit.toLocaleString('en')} left
        </span>
      </div>
      <meter class="hidden" aria-label={`${label}: requests left`} value={remaining} max={limit} />
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="gauge-ground" width="100" height="6" />
        <rect class="gauge-left" width={part * 100} height="6" />
      </svg>
      <div class="gauge-note">{children}</div>
    </div>
  )
}

function levelOf(part: number): 'enough' | 'low' | 'spent' {
  if (part === 0) return 'spent'
  return part < 0.2 ? 'low' : 'enough'
}
