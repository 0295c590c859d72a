import type { OperationDiagnostics } from '../document/diagnostic.ts'
import type { Inputs } from '../generated/control-types.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Awaitable } from '../records/awaitable.ts'
import type { HostedWorlds, UsedWorld, WorldHost } from '../sandbox/world-host.ts'

/** A control request that was matched, parsed and validated. */
export interface Call<Id extends keyof Inputs = keyof Inputs> extends UsedWorld {
  readonly host: WorldHost
  /** The base path of the world's control interface, such as `/__sandbox/worlds/checkout`. */
  readonly base: string
  readonly request: CoreRequest
  readonly input: Inputs[Id]
  readonly streams: Streams
  readonly findDiagnostics: FindDiagnostics
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** The operations on the worlds of a sandbox. */
export type WorldsOperation = 'listWorlds' | 'listDroppedWorlds' | 'createWorld' | 'removeWorld'

/** Answers the requests for one operation on the worlds of a sandbox. */
export type WorldsHandlers = {
  readonly [Id in WorldsOperation]: (
    worlds: HostedWorlds,
    input: Inputs[Id],
  ) => Awaitable<CoreResponse>
}

/** Answers the requests for one operation, with a complete response or with a stream. */
export type Handler<Id extends keyof Inputs> = (
  call: Call<Id>,
) => CoreResponse | Response | Promise<CoreResponse | Response>

/** One handler for each operation. */
export type Handlers<Id extends keyof Inputs> = { readonly [One in Id]: Handler<One> }

/** Finds the mistakes of the served document by operation. */
export type FindDiagnostics = () => Promise<OperationDiagnostics>

/** Functions that end the open streams and the pending waits. */
export type Streams = Set<() => void>

/** A response without content. */
export const NO_CONTENT: CoreResponse = { status: 204, headers: {}, body: '' }
