import type { Connection } from './connection.ts'
import type { Endpoint, RequestData } from './request-data.ts'

/** A world of a sandbox in another process. */
export interface RemoteWorld {
  readonly connection: Connection
  /** The world's name; `undefined` for the default world. */
  readonly world: string | undefined
}

/** Calls an operation, and resolves with the content of the response. */
export function request<Answer>(
  { connection, world }: RemoteWorld,
  endpoint: Endpoint,
  sent?: RequestData,
): Promise<Answer> {
  return connection.call<Answer>(world, endpoint, sent)
}

/** Calls an operation whose response has no content. */
export async function send(
  remote: RemoteWorld,
  endpoint: Endpoint,
  sent?: RequestData,
): Promise<void> {
  await request<unknown>(remote, endpoint, sent)
}
