import type { Action } from '../contract/resource-hints.ts'
import { toInputErrors } from '../contract/validation-errors.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import { type Awaitable, whenKnown } from '../records/awaitable.ts'
import type { Id, Page } from '../records/record-table.ts'
import { areEqualLists } from '../validation/objects.ts'
import {
  type AdmittedRequest,
  type Behaviour,
  type BehaviourResult,
  filtersIn,
  notFound,
  requestedId,
  respond,
} from './behaviour.ts'
import type { ResourceBinding } from './bind.ts'
import { fromCursor, toCursor } from './cursor.ts'
import type * as Further from './further-behaviours.ts'
import { idOf } from './id-generator.ts'
import { InvalidRecordError } from './invalid-record-error.ts'
import { cachedText, recordFromBody, toText } from './record-values.ts'
import type { Records } from './records.ts'
import type { Resource } from './resource.ts'
import type { Store } from './store.ts'

/** Answers a request by the action of its binding. */
export function behave(admitted: AdmittedRequest, store: Store): Awaitable<BehaviourResult> {
  const { binding } = admitted
  // The shipped contract has no such list: its behaviours answer as its document describes.
  if (binding.action === 'stateless' || binding.operation.otherResponses)
    return loadFurther().then((loaded) => loaded.behaveAsDocumented(admitted, store))
  const served = perform(admitted, binding, store)

  return served instanceof Promise ? served.catch(refuse) : served
}

/** Performs an action. Rejects with an InvalidRecordError for a record that its schema does not allow. */
function perform(
  admitted: AdmittedRequest,
  { action, resource }: ResourceBinding,
  store: Store,
): Awaitable<BehaviourResult> {
  const records = store.get(resource.name)

  return records
    ? behaviours[action](admitted, records)
    : store.open(resource).then((opened) => behaviours[action](admitted, opened))
}

function refuse(error: unknown): never {
  if (!(error instanceof InvalidRecordError)) throw error
  throw problems.invalidInput(toInputErrors('body', error.errors))
}

const behaviours: Readonly<Record<Action, Behaviour>> = {
  list,
  create,
  read,
  replace: async (...given) => (await loadFurther()).replace(...given),
  update: async (...given) => (await loadFurther()).update(...given),
  remove: async (...given) => (await loadFurther()).remove(...given),
  act: async (...given) => (await loadFurther()).update(...given),
}

let further: typeof Further | undefined

/** The behaviours that many contracts do not need. They are loaded with the first request that needs one. */
async function loadFurther(): Promise<typeof Further> {
  further ??= await import('./further-behaviours.ts')
  return further
}

/** The latest list of each resource, and what it depends on. Clients that poll get the same list again. */
const latest = new WeakMap<
  Records,
  { readonly made: readonly unknown[]; readonly response: CoreResponse }
>()

function list(admitted: AdmittedRequest, records: Records): Awaitable<BehaviourResult> {
  const { query } = admitted.input
  const { resource } = records
  const page = records.page({
    where: filtersIn(query, resource),
    after: cursorIn(query.cursor, resource),
    ...(typeof query.limit === 'number' && { limit: query.limit }),
  })
  return whenKnown(page, (found) => showPage(admitted, records, found))
}

function showPage(admitted: AdmittedRequest, records: Records, page: Page): BehaviourResult {
  const { request, binding } = admitted
  const { resource } = records
  // Records are never changed in place, so the same ones have the same text.
  const made = [binding, request.base, request.query, page.next, ...page.records]
  const known = latest.get(records)
  if (known && areEqualLists(known.made, made)) return { response: known.response }
  const hasNext = page.next !== undefined && binding.operation.parameters.some(isCursor)
  const response = respond(
    admitted,
    200,
    `[${page.records.map((record) => cachedText(resource, record))}]`,
    hasNext ? { Link: nextLink(request, resource, page.next) } : {},
  )
  latest.set(records, { made, response })

  return { response }
}

async function create(admitted: AdmittedRequest, records: Records): Promise<BehaviourResult> {
  const { resource } = records
  const record = await records.create(recordFromBody(resource, admitted.input.body, admitted.now))
  const id = idOf(record, resource.id) ?? ''
  const response = respond(admitted, 201, toText(resource, record), {
    Location: `${admitted.request.base}${resource.path}/${encodeURIComponent(String(id))}`,
  })
  return { response, undo: () => records.undo(id, undefined, record) }
}

function read(admitted: AdmittedRequest, records: Records): Awaitable<BehaviourResult> {
  return whenKnown(records.get(requestedId(admitted, records.resource)), (record) => {
    if (!record) throw notFound(admitted)

    return { response: respond(admitted, 200, cachedText(records.resource, record)) }
  })
}

function isCursor(parameter: { readonly in: string; readonly name: string }): boolean {
  return parameter.in === 'query' && parameter.name === 'cursor'
}

function cursorIn(cursor: unknown, resource: Resource): Id | undefined {
  if (typeof cursor !== 'string') return undefined
  const id = fromCursor(resource.name, cursor)
  if (id !== undefined) return id
  throw problems.invalidInput([
    { location: 'query.cursor', message: 'must be taken from the Link header of the page before' },
  ])
}

/** The `Link` to the next page (RFC 8288): the parameters of the request, with the cursor after the last record. */
function nextLink(request: CoreRequest, resource: Resource, last: Id = ''): string {
  const query = new URLSearchParams(request.query)
  query.set('cursor', toCursor(resource.name, last))

  return `<${request.base}${resource.path}?${query}>; rel="next"`
}
