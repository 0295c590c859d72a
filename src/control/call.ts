import type { Inputs } from '../generated/control-types.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Undo } from '../sandbox/replacement-tracker.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { World } from '../sandbox/world.ts'

/** A control request that was matched, read and checked. */
export interface Call<Id extends keyof Inputs = keyof Inputs> {
  readonly sandbox: Sandbox
  /** The world that is steered. */
  readonly world: World
  /** Where it is steered, as `/__sandbox/worlds/checkout`. */
  readonly base: string
  readonly request: CoreRequest
  readonly input: Inputs[Id]
  readonly streams: Streams
  /** Takes what undoes the change of a record. */
  readonly note: (undo: Undo) => void
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal
}

/** Answers the requests for one operation: with a whole reply, or with a response that streams. */
export type Handler<Id extends keyof Inputs> = (
  call: Call<Id>,
) => CoreResponse | Response | Promise<CoreResponse | Response>

/** A handler for each operation named. */
export type Handlers<Id extends keyof Inputs> = { readonly [One in Id]: Handler<One> }

/** Functions that end the open streams and waits. */
export type Streams = Set<() => void>

/** An answer without content. */
export const NO_CONTENT: CoreResponse = { status: 204, headers: {}, body: '' }
