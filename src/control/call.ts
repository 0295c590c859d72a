import type { OperationDocumentation } from '../contract/documentation.ts'
import type { OperationDiagnostics } from '../document/diagnostic.ts'
import type { WorldState } from '../engine/world-state.ts'
import type { Inputs } from '../generated/control-types.ts'
import { type CoreRequest, type CoreResponse, json } from '../http/message.ts'
import type { Awaitable } from '../records/awaitable.ts'
import {
  openEventStream,
  STREAM_HEADERS,
  type StreamEvent,
  type Streams,
} from '../responses/content/event-stream.ts'
import { SandboxWorld } from '../sandbox/sandbox-world.ts'
import type { World } from '../sandbox/world.ts'
import type { HostedWorlds, UsedWorld, WorldHost } from '../sandbox/world-host.ts'
import { writeLargeIntegers } from '../validation/large-integers.ts'
import type { Outputs } from './outputs.ts'

/** A control request that was matched, parsed and validated. */
export interface Call<Id extends keyof Inputs = keyof Inputs> extends UsedWorld {
  readonly host: WorldHost
  /** The base path of the world's control interface, such as `/__sandbox/worlds/checkout`. */
  readonly base: string
  readonly request: CoreRequest
  readonly input: Inputs[Id]
  readonly streams: Streams
  /** What the clients that receive deliveries are to answer. */
  readonly forwarded: Forwarded
  readonly document: ServedDocument
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** The operations on the worlds of a sandbox. */
type WorldsOperation = 'listWorlds' | 'listDroppedWorlds' | 'createWorld' | 'removeWorld'

/** The operations on a world. */
type WorldOperation = Exclude<keyof Inputs, WorldsOperation>

/** What a handler returns: the output, which is sent as JSON, or the response to send. `undefined` is sent as a 204. */
type Answer<Id extends keyof Inputs> =
  | Awaitable<Outputs[Id] | Reply | Response | AfterChanges>
  | (undefined extends Outputs[Id] ? Awaitable<void> : never)

/** One handler for each operation on the worlds of a sandbox. */
export type WorldsHandlers = {
  readonly [Id in WorldsOperation]: (worlds: HostedWorlds, input: Inputs[Id]) => Answer<Id>
}

/** One handler for each operation. */
export type Handlers<Id extends WorldOperation = WorldOperation> = {
  readonly [One in Id]: (call: Call<One>) => Answer<One>
}

/** A response that is not the output with the status 200. */
export class Reply {
  readonly response: CoreResponse

  constructor(response: CoreResponse) {
    this.response = response
  }
}

/** An answer that is known only after the changes of the task are kept. */
export class AfterChanges {
  readonly answer: () => Promise<unknown>

  constructor(answer: () => Promise<unknown>) {
    this.answer = answer
  }
}

/** The response to the creation of something, with its path. */
export function located(status: 200 | 201, value: object, path: string): Reply {
  return new Reply(exactly(json(status, value, { Location: path })))
}

/** A response whose records have integers that JavaScript does not hold exactly as numbers. */
function exactly({ body, ...response }: CoreResponse): CoreResponse {
  return { ...response, body: typeof body === 'string' ? writeLargeIntegers(body) : body }
}

/** The response of what a handler returned. */
export function toContent(answer: unknown): CoreResponse | Response | AfterChanges {
  if (answer instanceof AfterChanges) return answer
  if (answer instanceof Response) return answer
  if (answer instanceof Reply) return answer.response
  return exactly(json(answer === undefined ? 204 : 200, answer))
}

/** What is known of the document that is served, besides its contract. */
export interface ServedDocument {
  /** The document itself; empty when it is not known. */
  document(): Promise<Readonly<Record<string, unknown>>>
  /** The mistakes by operation. */
  operationDiagnostics(): Promise<OperationDiagnostics>
  /** What the document says about an operation; `undefined` when that is not known. */
  documentation(operation: string): Promise<OperationDocumentation | undefined>
}

/** Functions that take the answers to deliveries that clients forward, by their tickets. */
export type Forwarded = Map<string, (answer: Inputs['answerForwarded']['body']) => void>

/** Functions that end the open streams and the pending waits. */
export type { Streams }

/** Answers with a stream of server-sent events, whose data is JSON. */
export function eventStream(
  streams: Streams,
  start: (sink: {
    readonly send: (event: Omit<StreamEvent, 'data'> & { readonly data: unknown }) => void
    readonly end: () => void
  }) => Awaitable<() => void>,
): Response {
  const body = openEventStream(streams, ({ send, end }) =>
    start({ send: (event) => send({ ...event, data: JSON.stringify(event.data) }), end }),
  )
  return new Response(body, { headers: STREAM_HEADERS })
}

/** The state of a world. */
export function stateOf(world: World): WorldState {
  return SandboxWorld.handleOf(world)().state
}
