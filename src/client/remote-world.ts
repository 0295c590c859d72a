import type { Line, Sent, Spot } from './line.ts'

/** One world of a sandbox, by the line to it. */
export interface Place {
  readonly line: Line
  /** `undefined` for the sandbox's own. */
  readonly world: string | undefined
}

/** Does one operation there, and gives what the sandbox answers. */
export function ask<Answer>({ line, world }: Place, spot: Spot, sent?: Sent): Promise<Answer> {
  return line.call<Answer>(world, spot, sent)
}

/** Does one operation there. */
export async function tell(place: Place, spot: Spot, sent?: Sent): Promise<void> {
  await ask<unknown>(place, spot, sent)
}
