import type { ForceRule } from '../forcing/force-rule.ts'
import type { Outcome } from '../forcing/outcomes.ts'
import type { RecordCollection } from '../resources/behaviour/record-collection.ts'
import type { ScheduledChange } from '../resources/behaviour/schedule-change.ts'
import type { Duration } from '../time/duration.ts'

/**
 * The code of a developer for operations: by the operation's id, or by method and path, such as `POST /orders/{id}/quote`. The types are
 * those that openapi-typescript writes for the document: `paths`, `operations`, or both.
 */
export type HandlersOf<Api extends object> = {
  readonly [Key in OperationKey<Api>]?: Handler<OperationAt<Api, Key>, Api>
}

/** The code of a developer for one operation. It may be async. */
export type Handler<Operation = unknown, Api extends object = object> = (
  context: HandlerContext<Operation, Api>,
) => Returned | Promise<Returned>

/** What a handler returns: the body of a web `Response` is read to its end. */
type Returned = Answer | Response

/** What a handler knows, and what it can do. Nothing of it works after the handler has ended. */
export interface HandlerContext<Operation = unknown, Api extends object = object> {
  /** The operation that the request is for. */
  readonly operation: { readonly id: string; readonly method: string; readonly path: string }
  /** The body, checked and parsed; `undefined` without one. */
  readonly body: BodyOf<Operation>
  /** The body as it was sent; absent without one. */
  readonly rawBody?: Uint8Array
  /** The path parameters, with the types of the document. */
  readonly params: ParametersOf<Operation, 'path'>
  /** The query parameters, with the types of the document and its defaults. */
  readonly query: ParametersOf<Operation, 'query'>
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The request's address, without the base address. */
  readonly url: string
  readonly caller: HandlerCaller
  /** The sandbox's clock. It stands still while a request is answered. */
  readonly clock: HandlerClock
  /** Random numbers by the seed of the sandbox: the same ones when the handler runs again. */
  readonly random: HandlerRandom
  /**
   * The records of a collection, by its path or name, by the same rules as the API. What a handler writes is seen by others when it has
   * answered, all at once; nothing of it is kept when it throws. Throws a UsageError for an unknown collection.
   */
  readonly records: OpenRecordsOf<Api>
  /** Makes the answer. An error without a body gets the document's form of errors. */
  readonly reply: Reply<Operation>
  /** What would be answered without this handler. It sees what the handler has written. A second call rejects. */
  readonly next: () => Promise<Answer<AnyBodyOf<Operation>>>
  /** Forces an outcome or any answer on later requests, as `sandbox.force` does, when this one is committed. */
  readonly force: (answer: Outcome | ForceRule, rule?: ForceRule) => void
  /**
   * Changes a record some time later, on the sandbox's clock: `schedule('2d', { in: '/orders', id, set: { status: 'shipped' } })`. Rejects with
   * a UsageError for an unknown collection, record or property.
   */
  readonly schedule: (delay: Duration, change: ScheduledChange) => Promise<void>
  /** Sends an event to those who ask for it, when the request is committed. `data` is a record, or what the event is about. */
  readonly emit: (type: string, data?: unknown) => void
  /** Calls a function after the changes are committed: the place for effects outside of the sandbox. */
  readonly afterCommit: (effect: () => unknown) => void
  /** Aborted when the handler has taken too long. */
  readonly signal: AbortSignal
}

/** An event that somebody emits by hand. */
export interface EmittedEvent {
  /** Its name, such as `order.shipped`. */
  readonly type: string
  /** A record, or what the event is about; absent when a record is chosen by the name. */
  readonly data?: unknown
}

/** Who sent a request. */
export interface HandlerCaller {
  /** `missing`: without a credential. `invalid`: with an unknown one. */
  readonly key: 'valid' | 'missing' | 'invalid'
  /** The complete credential; absent when none was sent. */
  readonly credential?: string
  /** The id of the record that is the user of a configured key or of an issued token; absent for other callers. */
  readonly user?: string
  /** The name of the plan; absent in a sandbox without plans. */
  readonly plan?: string
}

/** The time of a request. */
export interface HandlerClock {
  /** Epoch milliseconds. */
  now(): number
  date(): Date
}

/** Seeded random numbers. */
export interface HandlerRandom {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number
  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number
  /** One item of a list; `undefined` when the list is empty. */
  pick<Item>(list: readonly Item[]): Item | undefined
}

/** What a handler answers. */
export interface Answer<Body = unknown> {
  readonly status: number
  /** A JSON value; a text or bytes for other media types. */
  readonly body?: Body
  /** Several cookies are a list. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** How long the answer is delayed after the commit, in milliseconds. */
  readonly delay?: number
}

/** Makes answers. */
export interface Reply<Operation = unknown> {
  <Status extends StatusOf<Operation>>(
    status: Status,
    ...content: ContentOf<Operation, Status>
  ): Answer
  /** Delays an answer after the commit, or those that the returned function makes. */
  after(delay: Duration): Reply<Operation>
  after(delay: Duration, answer: Answer): Answer
}

/** Opens a collection by its path or name. */
export interface OpenRecordsOf<Api extends object> {
  <Path extends keyof Api & `/${string}`>(
    path: Path,
  ): RecordCollection<TypesOf<RecordAt<Api, Path>>>
  <Value = Fields>(path: string): RecordCollection<TypesOf<Value>>
}

interface TypesOf<Value> {
  readonly record: Value & Fields
  readonly created: Partial<Value> & Fields
  readonly id: number | string
}

type Fields = Readonly<Record<string, unknown>>

/** The code of a developer, for any document. */
export interface HandlerMap {
  readonly [operation: string]: AnyHandler | undefined
}

/** Compared without regard to the types of its request, which only its document knows. */
export type AnyHandler = {
  run(context: HandlerContext): Returned | Promise<Returned>
}['run']

/** Code for many operations, before or after their own answer. */
export type HandlerHook = {
  /** Only the operations with one of these tags; default: all. */
  readonly tags?: readonly string[]
} & (
  | { readonly when: 'before'; run(context: HandlerContext): MaybeAnswer }
  | { readonly when: 'after'; run(context: HandlerContext, answer: Answer): MaybeAnswer }
)

// biome-ignore lint/suspicious/noConfusingVoidType: Most hooks return nothing.
type MaybeAnswer = Returned | undefined | void | Promise<Returned | undefined | void>

/** Handlers as a sandbox takes them. Of several for one operation, the last one is called, and its `next` is the one before. */
export type Handlers = HandlerMap | HandlerHook | readonly (HandlerMap | HandlerHook)[]

/**
 * Handlers with the types of a document, as openapi-typescript writes them.
 *
 * @example
 * export default defineHandlers<paths>({
 *   'POST /orders/{orderId}/quote': async ({ params, records, reply, next }) => {
 *     const order = await records('/orders').get(params.orderId)
 *     return order ? reply(200, { total: order.quantity * 5 }) : next()
 *   },
 * })
 */
export function defineHandlers<
  Api extends object = { readonly [operation: string]: unknown },
  MoreOfApi extends object = object,
>(handlers: HandlersOf<Api & MoreOfApi>): HandlersOf<Api & MoreOfApi> {
  return handlers
}

/** What operations have in common. */
interface HookOptions {
  /** Only the operations with one of these tags; default: all. */
  readonly tags?: readonly string[]
}

/** Code that runs before the handlers of all operations. What it returns is the answer; without it, the request goes on. */
export function beforeHandlers(
  run: (context: HandlerContext) => MaybeAnswer,
  options: HookOptions = {},
): HandlerHook {
  return { ...options, when: 'before', run }
}

/** Code that gets the answers of all operations. What it returns is the answer instead. */
export function afterHandlers(
  run: (context: HandlerContext, answer: Answer) => MaybeAnswer,
  options: HookOptions = {},
): HandlerHook {
  return { ...options, when: 'after', run }
}

type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace' | 'query'

/** `paths` have names that start with a slash, `operations` have other names. */
type OperationKey<Api> = {
  [Name in keyof Api & string]: Name extends `/${string}`
    ? {
        [Verb in keyof Api[Name] & Method]: [NonNullable<Api[Name][Verb]>] extends [never]
          ? never
          : `${Uppercase<Verb>} ${Name}`
      }[keyof Api[Name] & Method]
    : Name
}[keyof Api & string]

type OperationAt<Api, Key> = string extends keyof Api
  ? unknown
  : Key extends `${infer Verb} ${infer Path}`
    ? Path extends keyof Api
      ? NonNullable<Api[Path][Lowercase<Verb> & keyof Api[Path]]>
      : unknown
    : Key extends keyof Api
      ? Api[Key]
      : unknown

type ParametersOf<Operation, Place extends string> = Operation extends {
  parameters: infer Parameters
}
  ? Place extends keyof Parameters
    ? Readonly<NonNullable<Parameters[Place]>>
    : Readonly<Record<string, never>>
  : Readonly<Record<string, unknown>>

type ContentValue<Message> = Message extends { content: infer Content }
  ? Content[keyof Content]
  : undefined

type BodyOf<Operation> = Operation extends { requestBody: infer Body }
  ? ContentValue<Body>
  : Operation extends { requestBody?: infer Body }
    ? unknown extends Body
      ? unknown
      : ContentValue<NonNullable<Body>> | undefined
    : unknown

type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : unknown

/** The statuses of the document; any where it has some for ranges or for all others. */
type StatusOf<Operation> =
  unknown extends ResponsesOf<Operation>
    ? number
    :
        | (keyof ResponsesOf<Operation> & number)
        | (keyof ResponsesOf<Operation> & string extends never ? never : number)

type ResponseAt<Operation, Status> = Status extends keyof ResponsesOf<Operation>
  ? ContentValue<ResponsesOf<Operation>[Status]>
  : unknown

/** The body and the headers. Errors have the document's form by default. */
type ContentOf<Operation, Status extends number> = `${Status}` extends `${4 | 5}${string}`
  ? [body?: ResponseAt<Operation, Status>, headers?: Answer['headers']]
  : undefined extends ResponseAt<Operation, Status>
    ? [body?: ResponseAt<Operation, Status>, headers?: Answer['headers']]
    : [body: ResponseAt<Operation, Status>, headers?: Answer['headers']]

type AnyBodyOf<Operation> =
  unknown extends ResponsesOf<Operation>
    ? unknown
    : ContentValue<ResponsesOf<Operation>[keyof ResponsesOf<Operation>]>

/** The record of a collection: what reading one shows, else an item of the list. */
type RecordAt<Api, Path extends string> = [ReadAt<Api, Path>] extends [never]
  ? ListedAt<Api, Path> extends readonly (infer Item)[]
    ? Item
    : Fields
  : ReadAt<Api, Path>

type ReadAt<Api, Path extends string> = {
  [Name in keyof Api & string]: Name extends `${Path}/{${infer Rest}}`
    ? Rest extends `${string}/${string}`
      ? never
      : ListedAt<Api, Name>
    : never
}[keyof Api & string]

type ListedAt<Api, Path extends keyof Api | string> = Path extends keyof Api
  ? Api[Path] extends { get: { responses: { 200: infer Response } } }
    ? ContentValue<Response>
    : never
  : never
