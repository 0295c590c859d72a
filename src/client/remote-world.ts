import type { Endpoint, Line, Sent } from './line.ts'

/** One world of a sandbox, by the line to it. */
export interface RemoteWorld {
  readonly line: Line
  /** `undefined` for the sandbox's own. */
  readonly world: string | undefined
}

/** Does one operation there, and gives what the sandbox answers. */
export function ask<Answer>(
  { line, world }: RemoteWorld,
  endpoint: Endpoint,
  sent?: Sent,
): Promise<Answer> {
  return line.call<Answer>(world, endpoint, sent)
}

/** Does one operation there. */
export async function tell(remote: RemoteWorld, endpoint: Endpoint, sent?: Sent): Promise<void> {
  await ask<unknown>(remote, endpoint, sent)
}
