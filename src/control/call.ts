import type { OperationDiagnostics } from '../document/diagnostic.ts'
import type { Inputs } from '../generated/control-types.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Undo } from '../sandbox/replacement-tracker.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { World } from '../sandbox/world.ts'

/** A control request that was matched, parsed and validated. */
export interface Call<Id extends keyof Inputs = keyof Inputs> {
  readonly sandbox: Sandbox
  /** The world that the request reads or changes. */
  readonly world: World
  /** The base path of the world's control interface, such as `/__sandbox/worlds/checkout`. */
  readonly base: string
  readonly request: CoreRequest
  readonly input: Inputs[Id]
  readonly streams: Streams
  readonly findDiagnostics: FindDiagnostics
  /** Registers a function that undoes the change of a record. */
  readonly registerUndo: (undo: Undo) => void
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
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
