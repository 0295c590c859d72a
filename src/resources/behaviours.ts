import type { Input } from '../contract/read.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { toInputErrors } from '../contract/validation-errors.ts'
import { type CoreRequest, type CoreResponse, json, jsonText } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { areEqualLists } from '../journal/equal-lists.ts'
import { getOwn } from '../validation/own-property.ts'
import { type Binding, type CrudAction, type Resource, successResponse } from './bind.ts'
import { fromCursor, toCursor } from './cursor.ts'
import { type Id, idOf } from './id-generator.ts'
import { InvalidRecordError } from './invalid-record-error.ts'
import type { StoredRecord } from './record-index.ts'
import { cachedText, mergeValues, recordFromBody, replaceValues, toText } from './record-values.ts'
import type { Records } from './records.ts'
import type { Store } from './store.ts'

/** A request that was admitted and read, to be answered from the store. */
export interface BehaviourInput {
  readonly request: CoreRequest
  readonly binding: Binding
  readonly input: Input
  /** Epoch milliseconds, for the dates that the service sets itself. */
  readonly now: number
}

/** How a call was answered. */
export interface BehaviourResult {
  readonly response: CoreResponse
  /** Undoes what the call changed; absent when it changed nothing. */
  readonly undo?: () => Promise<void>
}

type Behaviour = (
  call: BehaviourInput,
  records: Records,
) => BehaviourResult | Promise<BehaviourResult>

/** Answers a call as its binding says. */
export function behave(
  call: BehaviourInput,
  store: Store,
): BehaviourResult | Promise<BehaviourResult> {
  const { binding } = call
  if (binding.action === 'example') return { response: example(call) }
  const records = store.get(binding.resource.name)
  if (!records) throw new TypeError(`The store has no records of ${binding.resource.name}`)

  const served = behaviours[binding.action](call, records)
  return served instanceof Promise ? served.catch(refuse) : served
}

function refuse(error: unknown): never {
  if (!(error instanceof InvalidRecordError)) throw error
  throw problems.invalidInput(toInputErrors('body', error.errors))
}

const behaviours: Readonly<Record<CrudAction, Behaviour>> = {
  list,
  create,
  read,
  replace: changing(replaceValues),
  update: changing(mergeValues),
  remove,
}

/** The latest list of each resource, and what it was made of: clients that poll ask for the same one again. */
const latest = new WeakMap<
  Records,
  { readonly made: readonly unknown[]; readonly response: CoreResponse }
>()

function list(call: BehaviourInput, records: Records): BehaviourResult {
  const { request, input, binding } = call
  const { query } = input
  const { resource } = records
  const page = records.page({
    where: Object.fromEntries(
      resource.filters.flatMap((name) => (Object.hasOwn(query, name) ? [[name, query[name]]] : [])),
    ),
    after: cursorIn(query.cursor, resource),
    ...(typeof query.limit === 'number' && { limit: query.limit }),
  })
  // Records are never changed in place, so the same ones have the same text.
  const made = [binding, request.base, request.query, page.next, ...page.records]
  const known = latest.get(records)
  if (known && areEqualLists(known.made, made)) return { response: known.response }
  const hasNext = page.next !== undefined && binding.operation.parameters.some(isCursor)
  const response = respond(
    call,
    200,
    `[${page.records.map((row) => cachedText(resource, row))}]`,
    hasNext ? { Link: nextLink(request, resource, page.next) } : {},
  )
  latest.set(records, { made, response })

  return { response }
}

async function create(call: BehaviourInput, records: Records): Promise<BehaviourResult> {
  const { resource } = records
  const row = await records.create(recordFromBody(resource, call.input.body, call.now))
  const id = idOf(row, resource.id) ?? ''
  const response = respond(call, 201, toText(resource, row), {
    Location: `${call.request.base}${resource.path}/${encodeURIComponent(String(id))}`,
  })
  return { response, undo: () => records.undo(id, undefined, row) }
}

function read(call: BehaviourInput, records: Records): BehaviourResult {
  const row = records.get(requestedId(call, records.resource))
  if (!row) throw notFound(call)

  return { response: respond(call, 200, cachedText(records.resource, row)) }
}

/** Replacing and updating: `change` makes the new record of the old one and the body. */
function changing(change: typeof replaceValues): Behaviour {
  return async (call, records) => {
    const { resource } = records
    const id = requestedId(call, resource)
    let before: StoredRecord | undefined
    const row = await records.update(id, (present) => {
      before = present
      return change(resource, present, call.input.body)
    })
    if (!row) throw notFound(call)

    const response = respond(call, 200, cachedText(resource, row))
    return { response, undo: () => records.undo(id, before, row) }
  }
}

async function remove(call: BehaviourInput, records: Records): Promise<BehaviourResult> {
  const id = requestedId(call, records.resource)
  const row = records.get(id)
  if (!(row && (await records.remove(id)))) throw notFound(call)

  const response = respond(call, 204, cachedText(records.resource, row))
  return { response, undo: () => records.undo(id, row, undefined) }
}

/** What the document itself shows, for an operation whose behaviour cannot be inferred. */
function example(call: BehaviourInput): CoreResponse {
  const { operation } = call.binding
  const answer = successResponse(operation.responses)
  if (answer?.schema && answer.example === undefined) {
    throw problems.notImplemented(
      `${operation.id} is not inferred (${call.binding.reason}), and the document gives no example for its ` +
        `${answer.status}. Add an example there.`,
    )
  }
  return json(answer?.status ?? 200, answer?.schema && answer.example)
}

/** A reply with the status that the document gives a success, and without a body where the document gives it none. */
function respond(
  call: BehaviourInput,
  usual: number,
  text: string,
  headers?: CoreResponse['headers'],
): CoreResponse {
  const answer = successResponse(call.binding.operation.responses)
  return jsonText(answer?.status ?? usual, answer?.schema && text, headers)
}

function isCursor(parameter: { readonly in: string; readonly name: string }): boolean {
  return parameter.in === 'query' && parameter.name === 'cursor'
}

function cursorIn(cursor: unknown, resource: Resource): Id | undefined {
  if (typeof cursor !== 'string') return undefined
  const id = fromCursor(resource.name, cursor)
  if (id !== undefined) return id

  const message = 'must be taken from the Link header of the page before'
  throw problems.invalidInput([{ location: 'query.cursor', message }])
}

/** A link to the next page (RFC 8288): the request's own parameters, with the cursor after its last record. */
function nextLink(request: CoreRequest, resource: Resource, last: Id = ''): string {
  const query = new URLSearchParams(request.query)
  query.set('cursor', toCursor(resource.name, last))

  return `<${request.base}${resource.path}?${query}>; rel="next"`
}

/** The id as records have it: a number where theirs are, though many a document declares the path parameter as text. */
function requestedId({ input }: BehaviourInput, { id, idParameter = id, schema }: Resource): Id {
  const sent = String(getOwn(input.path, idParameter))
  const types = [propertiesOf(schema).get(id)?.type].flat()
  const isCounted = types.includes('integer') || types.includes('number')

  return isCounted && String(Number(sent)) === sent ? Number(sent) : sent
}

function notFound({ request }: BehaviourInput): Problem {
  return problems.notFound(`There is no ${request.path}.`)
}
