import type { Endpoint, Line, Sent } from './line.ts'

/** A world that runs elsewhere, and the line to its sandbox. */
export interface RemoteWorld {
  readonly line: Line
  /** The world's name; `undefined` for the sandbox's own. */
  readonly world: string | undefined
}

/** Does one operation there, and resolves with its answer. */
export function ask<Answer>(
  { line, world }: RemoteWorld,
  endpoint: Endpoint,
  sent?: Sent,
): Promise<Answer> {
  return line.call<Answer>(world, endpoint, sent)
}

/** Does one operation there, whose answer does not matter. */
export async function tell(remote: RemoteWorld, endpoint: Endpoint, sent?: Sent): Promise<void> {
  await ask<unknown>(remote, endpoint, sent)
}
