import type { BanRules } from '../access/ban.ts'
import type { KeySettings } from '../access/callers.ts'
import type { AuthMode } from '../access/security-scheme.ts'
import type { Comparison } from '../records/selection.ts'
import type { Schema, SchemaValidator } from './schema.ts'

/**
 * What the sandbox knows about the records of a document, in the vocabulary of `x-sandbox`: it is inferred from paths and schemas, and
 * the document or an overlay corrects it. It is plain data, so that a compiled contract contains it and the engine infers nothing.
 */

/** What an operation does to records. `act` is an action on one record, such as a cancellation. */
export type Action = 'list' | 'create' | 'read' | 'replace' | 'update' | 'remove' | 'act'

export const ACTIONS: readonly Action[] = [
  ...(['list', 'create', 'read', 'replace', 'update', 'remove', 'act'] as const),
]

/** A place in a body as a JSON Pointer (RFC 6901), such as `/data`. The empty text is the body itself. */
export type BodyPlace = string

/** A collection of records, or a single record that has a path of its own. */
export interface ResourceHints {
  /** The last segment of the path, such as `books`; the whole path when another resource has that name, such as `shop/books`. */
  readonly name: string
  /** The path template of the collection, such as `/orgs/{org}/repos`; of a single record, its own path. */
  readonly path: string
  /** The path template of one record, such as `/orgs/{org}/repos/{repo}`; absent when no path leads to one record. */
  readonly item?: string
  /** The property of a record that contains its id. When `hasHiddenIds`, no response has it. */
  readonly id: string
  /** Whether no response shows the id, so that only paths and `Location` contain it. Default: no. */
  readonly hasHiddenIds?: true
  /** Further properties by which a path may name a record, such as `slug`; those in objects as JSON Pointers. Default: none. */
  readonly keys?: readonly string[]
  /** Who chooses the id of a new record: the client when its request has one. Default: `server`. */
  readonly ids?: 'server' | 'client'
  /** An id that the document shows at another place. Those of new records look like it. Default: by the schemas and examples of the records. */
  readonly idExample?: string
  /** The text by which paths name the caller's own record, such as `me`. Default: none. */
  readonly callerId?: string
  /**
   * Texts by which paths name a record that has another id: `latest` is the one that was added last (`LATEST_ADDED`), and `default` the first one
   * with a flag, such as `is_default`, or else the first one. Default: none.
   */
  readonly idWords?: Readonly<Record<string, string>>
  /** Whether a client can change the id that it chose. The record is then found by both. Default: no. */
  readonly renames?: true
  /** Whether the path has one record only, such as `/settings`. Default: no. */
  readonly isSingle?: true
  /** Whether an operation has `after`, or handlers schedule changes, so that records change without a request. Default: no. */
  readonly changesLater?: true
  /** The `operationId` of the operation whose response shows most of a record; absent when only requests describe it. */
  readonly view?: string
  /**
   * What the service sets in the properties of a new record that the client did not send, by their names or, in objects, by JSON Pointers
   * such as `/attributes/created_at`: a value, or a text in braces of `SERVICE_VALUES`.
   */
  readonly values?: Readonly<Record<string, unknown>>
  /** Properties such as a secret that only the responses show which create the record or replace the value. Default: none. */
  readonly shownOnce?: readonly string[]
  /** Properties of which no two records have the same value, with the answer to a request that would give it to a second one. */
  readonly unique?: Readonly<Record<string, RefusalAnswer>>
  /** Other paths that lead to the records, with what their parameters say. Default: none. */
  readonly aliases?: Readonly<Record<string, AliasHints>>
  /**
   * The properties that show records of other collections, such as `assignee`: the name of the resource. With `by`, the property of requests
   * that names the record. Default: none.
   */
  readonly references?: ReferenceHints
  /**
   * Where the records have ids of records of other collections: properties, and places in objects and lists such as `/lines/sku_id`, with the
   * names of the resources. Default: none.
   */
  readonly idReferences?: Readonly<Record<string, string>>
  /** The name of the schema of a record among those of the document. Default: that of the response which shows most of a record. */
  readonly schemaName?: string
  /**
   * The resources whose records parameters of the path name, by the names of the parameters, where those have another path: the collection
   * `/flags/{project}` is below a record of `/projects`. Default: none.
   */
  readonly within?: Readonly<Record<string, string>>
  /** Whether there are collections below a record. It follows from the paths. Default: no. */
  readonly hasChildren?: true
  /**
   * The resources above whose records have `keys` or other names, so that several paths lead to one collection. It follows from the paths. Default: none.
   */
  readonly keyed?: readonly string[]
  /** The resource whose records are the callers that `values` name. It follows from these. Default: none. */
  readonly callers?: string
  /** What makes a record a subscription, to which the service sends events. Default: the records are no subscriptions. */
  readonly subscription?: SubscriptionHints
}

/** The properties of a subscription, by their places as JSON Pointers such as `/config/url`. */
export interface SubscriptionHints {
  /** The address to which events are sent. */
  readonly url: string
  /**
   * The names of the events: a text, a list of texts, or an object of flags. An empty text is for the flags of the record itself that are called
   * as events, such as `push_events`. Default: the subscription gets every event.
   */
  readonly events?: string
  /** The secret with which deliveries are signed. Default: the secret of the sandbox. */
  readonly secret?: string
  /** A flag, or a state such as `enabled`, without which the subscription gets nothing. */
  readonly active?: string
  /** A flag with which the subscription gets nothing. */
  readonly inactive?: string
}

/** Whether a property of a subscription is called as a flag for events: `push_events`, `issuesEvents`. */
export function isEventFlag(name: string): boolean {
  return /[a-z0-9](_events|-events|Events)$/.test(name)
}

/**
 * What the parameters of another path to the records say, by their names: the property that has the value, by its name or its place;
 * `true` when no property shows it, so that the sandbox keeps it with the record; or the parameter of the own path that it is, such as
 * `{owner}`; or `{records users}`: the path shows the records that have it among those below them at `/users`. A parameter with the same name and place is not among them. One of the own path that the other does not have is the record
 * at a path, such as `{/user}`.
 */
export type AliasHints = Readonly<Record<string, string | true>>

/**
 * The resources whose records properties show, by the names of the properties. With `shows`, the property has one value of the record: the
 * `name` of the account that `account_id` names, in `account_name`.
 */
export type ReferenceHints = Readonly<
  Record<string, string | { readonly of: string; readonly by: string; readonly shows?: string }>
>

/** Texts in hints that stand for a value that only the service knows. */
export const SERVICE_VALUES = {
  /** The time of the change: of the creation, or of the operation that has the hint. */
  now: '{now}',
  /** The time of the latest change of the record. */
  changed: '{changed}',
  /** No value; `null` where the schema allows it. */
  absent: '{absent}',
  /** The address of the record. */
  self: '{self}',
  /** The values of the parameters in the path of the record, such as `acme/api` at `/repos/{owner}/{repo}`. */
  path: '{path}',
  /** Another value after each change of the record: the next number, or another text. */
  revision: '{revision}',
} as const

/** The text in hints that stands for the value of one parameter in the path of the record, such as `acme` at `/orgs/{org}/teams/{team}`. */
export function pathHint(parameter: string): string {
  return `{path ${parameter}}`
}

/** The parameter in a text of `pathHint`; `undefined` for another value. */
export function parameterIn(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\{path (.+)\}$/.exec(value)?.[1] : undefined
}

/** The path in a text such as `{self lines}`, the address below that of the record, or `..` for the record above; `undefined` for another value. */
export function linkedIn(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\{self (.+)\}$/.exec(value)?.[1] : undefined
}

/** The text in hints that stands for the value of another property in lower case with hyphens, such as `old-town` of the `name` `Old Town`. */
export function slugHint(property: string): string {
  return `{slug ${property}}`
}

/** The property in a text of `slugHint`; `undefined` for another value. */
export function sluggedIn(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\{slug (.+)\}$/.exec(value)?.[1] : undefined
}

/** The text in hints that stands for the number of records in the collection below whose path ends with a word. */
export function countHint(word: string): string {
  return `{count ${word}}`
}

/** The word in a text of `countHint`, also in one of `whileHint`; `undefined` for another value. */
export function countedWord(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\{count (.+?)(?: while .+)?\}$/.exec(value)?.[1] : undefined
}

/** The text in hints that stands for the records of the collection below whose path ends with a word. */
export function belowHint(word: string): string {
  return `{records ${word}}`
}

/** The word in a text of `belowHint`; `undefined` for another value. */
export function wordBelow(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\{records (.+)\}$/.exec(value)?.[1] : undefined
}

/** The text in hints that stands for the caller: the id of its record in a collection, or the record where the schema is of an object. */
export function callerHint(resource: string): string {
  return `{caller ${resource}}`
}

/** The name of the collection in a text of `callerHint`, also in one of `whileHint`; `undefined` for another value. */
export function callersIn(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\{caller (.+?)(?: while .+)?\}$/.exec(value)?.[1] : undefined
}

/** A property beside another one, and the value with which it tells a state, such as `state` and `closed`. */
export interface HeldState {
  readonly property: string
  readonly value: unknown
  /** Other values, with which what began in the state stays, such as `delivered` after `shipped`. Default: none. */
  readonly kept?: readonly string[]
}

/**
 * The text in hints for what a record has while it is in a state, such as `{now while state=closed}` for `closed_at`: `{now}` or a text of
 * `callerHint` when the state begins, and no value when it ends. `{now while state=shipped, delivered}` stays in another state, too. Of a text
 * of `countHint`, it counts the records in the state.
 */
export function whileHint(hint: string, { property, value, kept = [] }: HeldState): string {
  return `${hint.slice(0, -1)} while ${property}=${[value, ...kept].join(KEPT)}}`
}

const KEPT = ', '

/** The state in a text of `whileHint`, with its value as text; `undefined` for another value. */
export function heldStateIn(hint: unknown): HeldState | undefined {
  const found = typeof hint === 'string' ? WHILE.exec(hint) : undefined
  const [value = '', ...kept] = found?.[2]?.split(KEPT) ?? []
  return found ? { property: found[1] ?? '', value, ...(kept.length > 0 && { kept }) } : undefined
}

const WHILE = /^\{(?:now|caller .+|count .+) while ([^=]+)=(.*)\}$/

/** In `references`, this name stands for the record itself: that of a member of a team shows one of the users. */
export const ITSELF = ''

/** In `ids`, this stands for the ids of all records. */
export const EVERY_ID = '*'

/** Under this name, records contain an id that no response shows. */
export const HIDDEN_ID = '$id'

/** What one operation does, and where its messages contain records. */
export interface OperationHints {
  readonly action: Action | 'stateless'
  /** Why the operation is stateless; only with that action. */
  readonly reason?: StatelessReason
  /** The name of the resource; absent when the operation is stateless. */
  readonly resource?: string
  /** Where the response contains the record, or the list of records; absent when it contains none. */
  readonly record?: BodyPlace
  /** Where each item of a list contains the record; default: the item is the record. */
  readonly item?: BodyPlace
  /**
   * Where the request body contains the record; default: it is the body. An operation that has it takes a body although the document
   * describes none.
   */
  readonly body?: BodyPlace
  /** The property of the record whose value the request contains; default: the request contains the record. */
  readonly part?: string
  /** Whether the request has a file that is kept with the record, or the response is that file. Default: no. */
  readonly content?: true
  /**
   * What the operation does with the trash of the records: a removal can `move` its record there, an action can `restore` it, and `shown` is
   * about the records that are there. Default: it is about the others.
   */
  readonly trash?: 'move' | 'shown' | 'restore'
  /**
   * The name of the resource of members, such as that of `/teams/{id}/members`: a list shows the records of which the caller is one. Default:
   * it shows all.
   */
  readonly members?: string
  /**
   * What the operation does with a mark that callers put on records, such as a star: it is about the records which the caller has marked,
   * unless it has a `change`.
   */
  readonly mark?: MarkHints
  /** The query parameters with values that the record gets, and the property of each; default: none. */
  readonly query?: Readonly<Record<string, string>>
  /** The properties of the record that the request has beside it. Default: none. */
  readonly beside?: readonly string[]
  /**
   * Where a request whose path names no record has the ids of those that it is about: a query parameter, or a place in the body such as
   * `/ids`; in a list of records, that of the id of each, such as `/books/isbn`. A creation changes the records that it names so.
   * `EVERY_ID`: it is about all records, or those that `filters` select.
   */
  readonly ids?: string
  /** The list in the record that the operation is about, as at `/issues/{number}/labels`. Default: it is about the record. */
  readonly list?: ListHints
  /** Whether the record is that of the caller, as at `/me`; default: the path names it. */
  readonly caller?: true
  /** The property of the record in the request that contains the id; default: that of the resource. */
  readonly sentId?: string
  /** The property of the record in this response that contains the id; default: that of the resource. */
  readonly id?: string
  /** The properties of the record in this response that are called otherwise in the record: the name in the record by that in the response. */
  readonly views?: Readonly<Record<string, string>>
  readonly paging?: PagingHints
  /** What else the response of a list says: figures and links by their places. */
  readonly envelope?: Readonly<Record<BodyPlace, EnvelopeFigure>>
  /** How query parameters filter a list, by their names: a property that must be equal, or how it is compared. */
  readonly filters?: Readonly<Record<string, string | FilterHints>>
  /** How query parameters sort a list. */
  readonly sort?: SortHints
  /** The query parameter that names the properties which the response shows of each record. Default: it shows all. */
  readonly fields?: string
  /**
   * The query parameter that names the references which the response shows as the records themselves: `customer`, or `data.customer` and
   * `customer.address` in lists and deeper. Default: it shows them as they are.
   */
  readonly expand?: string
  /**
   * The values that the operation sets in the record: values, `{now}` and `{absent}` of `SERVICE_VALUES`, or placeholders. An action on a record that
   * has them changes nothing.
   */
  readonly set?: Readonly<Record<string, unknown>>
  /** The values that properties must have before the action; else 409. One value or a list of them for each property. */
  readonly from?: Readonly<Record<string, unknown>>
  /** Changes that happen some time after this operation, on the sandbox's clock. */
  readonly after?: readonly DelayedChange[]
  /** Records that the request refers to, by the names that placeholders have for them. */
  readonly refers?: Readonly<Record<string, RequestReference>>
  /** The conditions under which the operation is refused, in this order. */
  readonly refuse?: readonly RefusalHints[]
  /** What the operation changes in other records. */
  readonly also?: readonly OtherChangeHints[]
  /** The values that the records of a list have. A value that is not known selects none. */
  readonly where?: Readonly<Record<string, unknown>>
  /** What the response has besides the record, such as a flag of success. Objects are merged. */
  readonly answer?: Readonly<Record<string, unknown>>
  /** How errors are answered that are no errors of HTTP. Default: with their status, in the form of the document. */
  readonly failures?: FailureHints
  /**
   * The names of the resources whose changes the operation streams as server-sent events (`text/event-stream`). Default: it streams none, and
   * answers with a list of events that ends.
   */
  readonly streams?: string | readonly string[]
  /** The codes of errors by those of the sandbox; default: those of the sandbox. */
  readonly codes?: ErrorCodes
  /** What the operation does when its request says so, as in a call by the name of a method. The first case that holds counts. */
  readonly cases?: readonly CaseHints[]
}

/** What an operation does when conditions hold. */
export interface CaseHints extends Omit<OperationHints, 'cases'> {
  /** What must hold, as in `RefusalHints`, but not about a record. */
  readonly when: Readonly<Record<string, unknown>>
}

/** The answer to a request that failed, where errors are part of the usual response. */
export interface FailureHints {
  /** Default: 200. */
  readonly status?: number
  /** The body, with placeholders such as `{error.code}`, `{error.message}`, `{error.status}` and `{error.field}`. */
  readonly body: Readonly<Record<string, unknown>>
}

/** The codes of a document by those of the sandbox, such as `not_found`. */
export type ErrorCodes = Readonly<Record<string, string | number>>

/** The answer to a request that is refused. */
export interface RefusalAnswer {
  /** Default: that of a conflict, 409; of an unknown reference, 404, 422 or 400, the first that the document has. */
  readonly status?: number
  /** The code of the error, as far as the document has a place for it. */
  readonly code?: string
  /** A sentence, which may have placeholders. */
  readonly message?: string
}

/** A record that a request refers to. */
export interface RequestReference extends RefusalAnswer {
  /** The path of its collection, which may have placeholders. */
  readonly in: string
  /** Its id, usually a placeholder such as `{body.productId}`. A request without it refers to no record. */
  readonly id?: string
  /** The values that the record has. Where there is no such record, the request is not refused. */
  readonly where?: Readonly<Record<string, unknown>>
}

/** A condition without which an operation is refused. */
export interface RefusalHints extends RefusalAnswer {
  /**
   * What must hold, by the names that lead to each value, such as `record.status` or `body.amount`: the value, one of a list, or a comparison
   * such as `{ from: '{body.quantity}' }`.
   */
  readonly unless: Readonly<Record<string, unknown>>
}

/** A change of other records. */
export interface OtherChangeHints {
  /** The path of their collection, which may have placeholders. */
  readonly in: string
  /** The id of the record. */
  readonly id?: string
  /** The values that the records have; with neither `id` nor this, a record is added. */
  readonly where?: Readonly<Record<string, unknown>>
  /** A list of the request, such as `{body.lines}`: a record is added of each item. */
  readonly each?: string
  readonly set?: Readonly<Record<string, unknown>>
  /** Whether the records are removed. */
  readonly remove?: true
}

/** A mark that each caller may put on records. It belongs to the caller, and not to the record. */
export interface MarkHints {
  /** What the records are then, such as `starred`. */
  readonly name: string
  readonly change?: 'add' | 'remove'
  /** The property that tells whether the caller has marked the record. */
  readonly flag?: string
  /** The property that counts the callers who have marked the record. */
  readonly count?: string
  /** The name of the resource whose records are the callers. Default: each credential is one. */
  readonly by?: string
  /** The path parameter that names another one of these, whose marks a list is about. Default: it is about the caller's. */
  readonly of?: string
}

/** A list in a record, and what an operation does to it. */
export interface ListHints {
  /** The property of the record. */
  readonly property: string
  /** The name of the resource whose records the items show; absent when they are ids. */
  readonly of?: string
  /** What happens to the items that the request names; `clear` removes all. Default: the response shows the list. */
  readonly change?: 'add' | 'remove' | 'replace' | 'clear'
  /** Where the request has the items, or what names them. Default: the last segment of its path names one. */
  readonly sent?: BodyPlace
  /** Where a request that adds items also has those that it removes. Default: it removes none. */
  readonly removed?: BodyPlace
}

/** Values that a record gets some time after an operation. */
interface DelayedChange {
  /** The time, such as `30s` or `PT30S`. */
  readonly delay: string
  readonly set: Readonly<Record<string, unknown>>
  /** The values that properties must still have then, or nothing happens. */
  readonly from?: Readonly<Record<string, unknown>>
}

/** How a query parameter filters a list. */
export interface FilterHints {
  /**
   * The property, or its place as a JSON Pointer such as `/author/id`. Of several, one must match; of a list on the way, one item. An
   * object as the value selects by its properties.
   */
  readonly property: string | readonly string[]
  /**
   * How the property is compared with the value. `in`: it equals one of the texts between commas. `missing`: the opposite of `exists`.
   * `expression`: the value compares properties of the record, such as `status eq "open" and size gt 5`; another text is searched in those
   * of `property`, if there are any. `labels`: it compares the values in an object, such as `env=prod,!old`. Default: `equal`.
   */
  readonly is?: Comparison | 'in' | 'missing' | 'expression' | 'labels'
  /** The values of the parameter that filter nothing, such as `all`. */
  readonly ignored?: readonly unknown[]
  /** The value for a request without the parameter. Default: such a request is not filtered. */
  readonly default?: unknown
  /**
   * What values of the parameter select, by the properties that the records have then: `{ unapproved: { approved: { not: true } } }`. Each is a
   * value, a comparison such as `{ exists: true }`, or `{absent}`. Other values are compared with `property`.
   */
  readonly values?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** What a value selects that no record has: `all`. Default: nothing. */
  readonly unknown?: 'all'
  /** The name of the resource whose records the values name. One that names such a record is known, though no record of the list has it. */
  readonly of?: string
  /** The name of the resource of members: the value names the record above them, and `property` must be the id of one of them. */
  readonly members?: string
}

/** Every way to compare a property with the value of a query parameter. */
export const FILTER_COMPARISONS: readonly NonNullable<FilterHints['is']>[] = [
  ...(['equal', 'not', 'in', 'on', 'after', 'from', 'before', 'to'] as const),
  ...(['contains', 'starts', 'ends', 'exists', 'missing'] as const),
  ...(['expression', 'labels'] as const),
]

/** What an `expression` in objects has, by plain names: the property, how it is compared, with what, and comparisons that belong together. */
export const CONDITION: Readonly<Record<'field' | 'operator' | 'value' | 'all' | 'any', RegExp>> = {
  field: /^(field|property|attribute|column)(name|id|path)?$|^(key|path)$/,
  operator: /^(op|operator|comparison|comparator|condition|operation)$/,
  value: /^(value|values|term)$/,
  all: /^(and|all|must|filters|conditions|rules|value|operands|clauses|criteria)$/,
  any: /^(or|any|should|filtergroups|groups)$/,
}

/** How a client reads the pages of a list. */
export interface PagingHints {
  /** `page` counts pages, `offset` counts records, `cursor` continues with a text of an earlier page, `after` after the id of a record. */
  readonly style: 'page' | 'offset' | 'cursor' | 'after'
  /** The query parameter that selects the page: its number, the offset, the cursor, or the id of the record before. */
  readonly parameter?: string
  /** The query parameter with the most records of a page. */
  readonly size?: string
  /** The query parameter with the number of records before the page, for requests that do not have `parameter`. */
  readonly offset?: string
  /** The query parameter for the page before: with the id of the record that follows it (`ending_before`), or with a cursor. */
  readonly before?: string
  /** The number of the first page (default: 1), or the offset of the first record (default: 0). */
  readonly first?: number
}

/** A figure or a link about a page of a list, the name of the property with the list, or the ids of the records that a response shows. */
export type EnvelopeFigure =
  | ('total' | 'count' | 'size' | 'offset')
  | ('page' | 'pages' | 'nextPage' | 'previousPage' | 'lastPage')
  | ('hasMore' | 'hasPrevious' | 'isFirst' | 'isLast' | 'isEmpty')
  | ('nextCursor' | 'previousCursor' | 'firstId' | 'lastId')
  | ('id' | 'ids' | 'event' | 'listName')
  | ('selfUrl' | 'nextUrl' | 'previousUrl' | 'firstUrl' | 'lastUrl')

/** The order of a list that shows what was added first, the latest of it at the top, and then the others by their ids. */
export const LATEST_ADDED = '{added}'

/** Whether an operation answers with an event about a record, so that its path has a word more than that of the records. */
export function isEvent({ envelope = {} }: Pick<OperationHints, 'envelope'> = {}): boolean {
  return Object.values(envelope).includes('event')
}

/** How a list is sorted, and by which query parameters. */
export interface SortHints {
  /** Names a property, or several; `-name`, `name:desc` and `name desc` are descending. Absent when there is none. */
  readonly by?: string
  /** Contains `asc` or `desc`; absent when there is none. */
  readonly direction?: string
  /** The orders that other values of `by` mean, such as `newest`: a property, with `-` before it when the order is descending, or `LATEST_ADDED`, also with `-`. */
  readonly values?: Readonly<Record<string, string>>
  /** The order of a list for which a request names none: as in `values`, or `LATEST_ADDED`. Default: by the ids. */
  readonly default?: string
}

/** Why an operation reads and changes no record. `describeBinding` has the words. */
export type StatelessReason =
  | 'no-record'
  | 'no-action'
  | 'no-list'
  | 'no-item'
  | 'bulk'
  | 'mixed'
  | 'search'
  | 'no-id-generator'
  | 'refused-ids'
  | 'hint'

/** What the document's `x-sandbox` says about the whole service. Options of the sandbox override it. */
export interface ServiceHints {
  /**
   * Which credentials are accepted: `keys` only the API keys of the sandbox, `any` every credential in a documented form, `off`
   * requires none. By default, `any`.
   */
  readonly auth?: AuthMode
  /** The plans by name. Without plans, there is no quota. */
  readonly plans?: Readonly<Record<string, PlanWindows>>
  /** The API keys and their plans. */
  readonly keys?: Readonly<Record<string, KeySettings>>
  /** When a client that does not wait after a 429 is banned; `false` for never. By default, never. */
  readonly ban?: false | Partial<BanRules>
  /** The size limit of a request body in bytes. By default, 10 MiB. */
  readonly bodyLimit?: number
  /** What happens to properties that the schema of a body does not name. By default, `keep`. */
  readonly unknownProperties?: 'drop' | 'keep'
  /** Resources by the path of their collection, where the document does not have that path. */
  readonly resources?: Readonly<Record<string, object>>
  /** How errors are answered that are no errors of HTTP. Default: with their status, in the form of the document. */
  readonly failures?: FailureHints
  /** The codes of errors by those of the sandbox, such as `not_found`; default: those of the sandbox. */
  readonly codes?: ErrorCodes
  /** What the properties of error bodies contain, by their names; default: it follows from their names. */
  readonly errors?: Readonly<Record<string, ErrorMeaning>>
  /** The headers that have the figures of the caller's quota, by their names; default: those of the document. */
  readonly rateLimitHeaders?: Readonly<Record<string, RateLimitFigure>>
  /** The deprecation of every operation that has none of its own: dates as texts, and what replaces the service. */
  readonly deprecation?: Readonly<Partial<Record<'date' | 'sunset' | 'successor', unknown>>>
  /**
   * The records that each collection starts with, by its name; in a document also the path of a JSON or YAML file. Where more are
   * wanted, or others by another seed, as many are generated. By default, those of the document's examples, and generated ones.
   */
  readonly records?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  /** Whether resources and actions that no hint names are inferred. By default, yes. */
  readonly inference?: boolean
  /** Whether responses say in `X-Sandbox-Source` what their body is made of. By default, yes. */
  readonly sourceHeader?: boolean
}

/** What a property of an error body contains; `none`: nothing that the sandbox knows. */
export type ErrorMeaning =
  | ('code' | 'message' | 'title' | 'status' | 'field')
  | ('time' | 'path' | 'requestId' | 'success' | 'none')

/** A figure of a quota. A reset is in seconds from now, a Unix time, or a date and time (RFC 3339). */
export type RateLimitFigure =
  | ('limit' | 'remaining' | 'used')
  | ('resetSeconds' | 'resetEpochSeconds' | 'resetEpochMilliseconds' | 'resetDateTime')

/** How many requests a plan allows. */
interface PlanWindows {
  /** Requests per minute. */
  readonly minute: number
  /** Requests per day. */
  readonly day: number
}

/** A resource with the schemas that its hints lead to: plain data that is ready to be bound. */
export interface ContractResource extends ResourceHints {
  /** The schema of a record, in the response that shows most of it. */
  readonly schema: Schema
  /** Validates a record; absent when it is only a part of a body, which is validated as a whole. */
  readonly validate?: SchemaValidator
  /** The schema of ids: of the property, else of the path parameter. */
  readonly idSchema: Schema
  /** The path parameter that contains the id; absent when no path leads to one record. */
  readonly idParameter?: string
  /** The path parameters in `path`, which contain the ids of the parents; absent when there are none. */
  readonly parents?: readonly string[]
  /** The properties by which lists can be filtered. */
  readonly filters: readonly string[]
  /** The `operationId`s of the operations on the collection and on its records. */
  readonly operations: readonly string[]
  /** The `operationId`s of the operations on other records whose paths contain the id; absent when there are none. */
  readonly idOperations?: readonly string[]
  /** Those of them that may keep something in the record itself, such as its file; absent when there are none. */
  readonly keepingOperations?: readonly string[]
  /** The schema of the record in the request that creates one, where it is a part of the body. */
  readonly created?: Schema
  /** The schemas of the records in requests. The shipped contract omits them, because its records have one view. */
  readonly sent?: readonly Schema[]
  /** Where the records above the collection count its records; absent when they do not. */
  readonly counted?: CountedHints
  /** The write-only properties, which no response shows; absent when there are none. */
  readonly hidden?: readonly string[]
  /** The aliases, with what is above them; absent when there are none. */
  readonly otherPaths?: readonly ContractAlias[]
  /** The aliases of other resources below a record, whose records are gone with it; absent when there are none. */
  readonly below?: readonly { readonly resource: string; readonly path: string }[] | undefined
}

/** Another path that leads to the records of a resource. */
export interface ContractAlias extends Pick<ResourceHints, 'path' | 'keyed'> {
  readonly by: AliasHints
  /** The name of the resource whose records are directly above; absent when there is none. */
  readonly above?: string
  /** The resources whose only record, or that of the caller, is meant by a parameter of the own path, by that; absent when there are none. */
  readonly owned?: Readonly<Record<string, string>>
  /** The name of the resource below the records whose ids a parameter selects them by; absent when none does. */
  readonly members?: string
  /** Where the records above count those that are below them at this path; absent when they do not. */
  readonly counted?: CountedHints
}

/** The properties of the records above a collection that say how many records it has. It follows from `values` of these. */
export interface CountedHints {
  /** The name of the resource above. */
  readonly resource: string
  readonly by: readonly string[]
  /** Properties that say how many of its records are in a state. */
  readonly inState?: readonly (HeldState & { readonly by: string })[]
  /** Properties that list its records. */
  readonly listed?: readonly string[]
}

/** A header of the document that has a figure of the caller's quota. */
export interface QuotaHeader {
  readonly name: string
  readonly figure: 'limit' | 'remaining' | 'used' | 'reset'
  /** Present for `reset`: seconds from now, a Unix time, or a date as in RFC 3339. */
  readonly unit?: 'seconds' | 'epoch-seconds' | 'epoch-milliseconds' | 'date-time'
}

/** The figure that a header has, by its name; `undefined` for a header that has none. */
export function quotaFigureOf(name: string): QuotaHeader['figure'] | undefined {
  const [, rest] = /^(?:x-)?(?:\w+-)*?rate-?limit-?(.*)$/i.exec(name) ?? []
  if (rest === undefined || /policy|window|resource|type|scope|unit|interval/i.test(rest))
    return undefined
  if (/remaining|left|available/i.test(rest)) return 'remaining'
  if (/reset|retry/i.test(rest)) return 'reset'
  if (/used|consumed|count/i.test(rest)) return 'used'

  return /^$|limit|max|quota|total/i.test(rest) && !/^ratelimit$/i.test(name) ? 'limit' : undefined
}
