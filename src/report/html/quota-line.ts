import type { ClientTimeline } from '../client-timeline.ts'
import type { Scale } from './scale.ts'

/** The used part of the quota over time, by the `X-RateLimit` headers. */
export interface QuotaLine {
  /** An SVG path; at the top, the quota is used up. */
  readonly path: string
  /** The x positions at which windows end. */
  readonly resets: readonly number[]
  /** For instance `60 per minute`. */
  readonly limit: string
}

/** `undefined` when no response has the headers. */
export function quotaLine(
  timeline: ClientTimeline,
  scale: Scale,
  height: number,
): QuotaLine | undefined {
  const points = new Path(height)
  const resets = new Set<number>()
  let last: { readonly reset: number; readonly used: number } | undefined
  let limit = ''
  for (const { time, window } of timeline) {
    if (!window) continue
    const x = scale.at(time)
    const used = window.limit === 0 ? 1 : Math.min(1, 1 - window.remaining / window.limit)
    limit ||= `${window.limit} per ${window.reset - time > 60_000 ? 'day' : 'minute'}`
    if (last && last.reset <= time) {
      const at = scale.at(last.reset)
      points.to(at, last.used)
      points.to(at, 0)
      last = { reset: window.reset, used: 0 }
    }
    points.to(x, last?.used ?? 0)
    points.to(x, used)
    resets.add(window.reset)
    last = { reset: window.reset, used }
  }
  if (!last) return undefined
  const end = Math.min(scale.at(last.reset), scale.width)
  points.to(end, last.used)

  return { path: points.closed(end), limit, resets: [...resets].map(scale.at) }
}

/** Builds a path. Repeated points are left out: thousands of requests share a few hundred pixels. */
class Path {
  readonly #height: number
  readonly #steps: string[] = []
  #first = 0

  constructor(height: number) {
    this.#height = height
  }

  to(x: number, used: number): void {
    const step = `${x.toFixed(1)} ${(this.#height * (1 - used)).toFixed(1)}`
    if (this.#steps.length === 0) this.#first = x
    if (this.#steps.at(-1) !== step) this.#steps.push(step)
  }

  /** The path with both ends on the ground, so that it encloses an area. */
  closed(end: number): string {
    const ground = this.#height.toFixed(1)
    return `M${this.#first.toFixed(1)} ${ground}L${this.#steps.join('L')}L${end.toFixed(1)} ${ground}`
  }
}
