import type { Input } from '../contract/read.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { toInputErrors } from '../contract/validation-errors.ts'
import { type CoreRequest, type CoreResponse, json, jsonText } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { areEqualLists } from '../validation/equal-lists.ts'
import { getOwn } from '../validation/own-property.ts'
import type { Binding, CrudAction } from './bind.ts'
import { fromCursor, toCursor } from './cursor.ts'
import { type Id, idOf } from './id-generator.ts'
import { InvalidRecordError } from './invalid-record-error.ts'
import type { StoredRecord } from './record-index.ts'
import { cachedText, mergeValues, recordFromBody, replaceValues, toText } from './record-values.ts'
import type { Records } from './records.ts'
import { type Resource, successResponse } from './resource.ts'
import type { Store } from './store.ts'

/** An admitted request with its input, to be answered from the store. */
export interface AdmittedRequest {
  readonly request: CoreRequest
  readonly binding: Binding
  readonly input: Input
  /** The time in epoch milliseconds, for dates that the service sets. */
  readonly now: number
}

/** The response to a request, and how to undo its change. */
export interface BehaviourResult {
  readonly response: CoreResponse
  /** Undoes the change; absent when the request changed nothing. */
  readonly undo?: () => Promise<void>
}

type Behaviour = (
  admitted: AdmittedRequest,
  records: Records,
) => BehaviourResult | Promise<BehaviourResult>

/** Answers a request by the action of its binding. */
export function behave(
  admitted: AdmittedRequest,
  store: Store,
): BehaviourResult | Promise<BehaviourResult> {
  const { binding } = admitted
  if (binding.action === 'example') return { response: example(admitted) }
  const { action, resource } = binding
  const records = store.get(resource.name)
  const served = records
    ? behaviours[action](admitted, records)
    : store.open(resource).then((opened) => behaviours[action](admitted, opened))

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

/** The latest list of each resource, and what it depends on. Clients that poll get the same list again. */
const latest = new WeakMap<
  Records,
  { readonly made: readonly unknown[]; readonly response: CoreResponse }
>()

function list(admitted: AdmittedRequest, records: Records): BehaviourResult {
  const { request, input, binding } = admitted
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

function read(admitted: AdmittedRequest, records: Records): BehaviourResult {
  const record = records.get(requestedId(admitted, records.resource))
  if (!record) throw notFound(admitted)

  return { response: respond(admitted, 200, cachedText(records.resource, record)) }
}

/** PUT and PATCH: `change` makes the new record from the old one and the body. */
function changing(change: typeof replaceValues): Behaviour {
  return async (admitted, records) => {
    const { resource } = records
    const id = requestedId(admitted, resource)
    let before: StoredRecord | undefined
    const record = await records.update(id, (present) => {
      before = present
      return change(resource, present, admitted.input.body)
    })
    if (!record) throw notFound(admitted)

    const response = respond(admitted, 200, cachedText(resource, record))
    return { response, undo: () => records.undo(id, before, record) }
  }
}

async function remove(admitted: AdmittedRequest, records: Records): Promise<BehaviourResult> {
  const id = requestedId(admitted, records.resource)
  const record = records.get(id)
  if (!(record && (await records.remove(id)))) throw notFound(admitted)

  const response = respond(admitted, 204, cachedText(records.resource, record))
  return { response, undo: () => records.undo(id, record, undefined) }
}

/** The example in the document, for an operation whose action cannot be inferred. */
function example(admitted: AdmittedRequest): CoreResponse {
  const { operation } = admitted.binding
  const documented = successResponse(operation.responses)
  if (documented?.schema && documented.example === undefined) {
    throw problems.notImplemented(
      `No action is inferred for ${operation.id} (${admitted.binding.reason}), and its ${documented.status} response has no ` +
        'example in the document. Add an example.',
    )
  }
  return json(documented?.status ?? 200, documented?.schema && documented.example)
}

/** A response with the status of the document's first 2xx response, and a body only if that one has a body. */
function respond(
  admitted: AdmittedRequest,
  usual: number,
  text: string,
  headers?: CoreResponse['headers'],
): CoreResponse {
  const documented = successResponse(admitted.binding.operation.responses)
  return jsonText(documented?.status ?? usual, documented?.schema && text, headers)
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

/** The id in the path, as records have it: a number if theirs are numbers. Many documents declare the parameter as a string. */
function requestedId({ input }: AdmittedRequest, { id, idParameter = id, schema }: Resource): Id {
  const sent = String(getOwn(input.path, idParameter))
  const types = [propertiesOf(schema).get(id)?.type].flat()
  const isCounted = types.includes('integer') || types.includes('number')
  return isCounted && String(Number(sent)) === sent ? Number(sent) : sent
}

function notFound({ request }: AdmittedRequest): Problem {
  return problems.notFound(`No resource was found at ${request.path}.`)
}
