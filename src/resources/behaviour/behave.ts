import type { MediaType, Operation } from '../../contract/contract.ts'
import { chooseResponse, flaggedResponse } from '../../contract/documented-response.ts'
import type { CoreResponse } from '../../http/message.ts'
import type { Note } from '../../journal/exchange.ts'
import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import {
  answerAsDocumented,
  type DocumentedRequest,
  type OwnContent,
  preferredAnswer,
} from '../../responses/documented-answer.ts'
import { isEcho } from '../../responses/documented-headers.ts'
import {
  documentedValue,
  type ValueContext,
  type ValueResult,
} from '../../responses/documented-value.ts'
import { areEqualLists, isObject, once } from '../../validation/objects.ts'
import type { ResourceBinding } from '../bind.ts'
import { mergeValues } from '../effects.ts'
import { idOf } from '../id-generator.ts'
import { InvalidRecordError } from '../invalid-record-error.ts'
import { figuresOfShown, type ReadFigure } from '../paging/page-figures.ts'
import type { Store } from '../store/store.ts'
import { type FollowedRecords, followReferences } from '../views/followed-records.ts'
import { fieldsIn, invalidRecordBody, recordBody } from '../views/record-body.ts'
import { expandsIn, expansionFor } from './expand.ts'
import { describeReason } from './explain-operations.ts'
import { contentResponse } from './file-content.ts'
import { filledAnswer, invalidSetIn } from './operation-scope.ts'
import { type Performed, perform } from './perform.ts'
import {
  type AdmittedRequest,
  type BehaviourResult,
  notFound,
  openRequest,
  type RecordRequest,
} from './record-request.ts'
import { overruledIn, sentRecord, unkeptIn } from './sent-record.ts'
import { unreadFilters } from './unread-filters.ts'

/**
 * Performs the action of a binding, and makes the response one that the document allows. An example that the client prefers
 * replaces both.
 */
export function behave(admitted: AdmittedRequest, store: Store): Awaitable<BehaviourResult> {
  const { binding, status, request } = admitted
  // No behaviour has another status than the usual one, so a request that asks for another one changes nothing.
  if (status !== undefined && status !== chooseResponse(binding.operation).status) {
    const sourceReason = `the request asks for the status ${status}`
    return answerAsDocumented({ ...documentedRequest(admitted), status, sourceReason })
  }
  if (binding.action === 'stateless') return answerStateless(admitted)
  const preferred =
    request.header('prefer') === undefined
      ? undefined
      : preferredAnswer(documentedRequest(admitted))

  return whenKnown<BehaviourResult | undefined, BehaviourResult>(
    preferred,
    (answer) => answer ?? behaveInCollection(admitted, binding, store),
  )
}

/** What a stateless operation answers: as the document describes it, with what its hints say. */
function answerStateless(admitted: AdmittedRequest): Awaitable<BehaviourResult> {
  const wanted = documentedRequest(admitted)
  if (!admitted.binding.operation.hints?.answer) return answerAsDocumented(wanted)
  const valueFor = async (media: MediaType): Promise<ValueResult | undefined> =>
    withAnswer(undefined, media, admitted, wanted)
  const { sourceReason } = wanted
  return answerAsDocumented({
    ...wanted,
    own: { headers: {}, source: 'generated', sourceReason, valueFor },
  })
}

/** Performs the action of a binding on records. */
function behaveInCollection(
  admitted: AdmittedRequest,
  binding: ResourceBinding,
  store: Store,
): Awaitable<BehaviourResult> {
  return whenKnown(openRequest(admitted, binding, store), (request) =>
    // When no such record can exist, as when all ids are in use, nothing changes.
    whenKnown(attemptTo(perform, request), (performed) => {
      if (!performed)
        return answerAsDocumented({ ...documentedRequest(admitted), sourceReason: NOT_KEPT })
      return binding.hints.content && binding.action === 'read'
        ? showContent(performed, request)
        : showRecords(performed, request)
    }),
  )
}

/** The response with the file of a record; a generated one when no client has sent it. */
async function showContent(performed: Performed, request: RecordRequest): Promise<BehaviourResult> {
  const response = contentResponse(performed.shown, request)
  const sourceReason = 'no request has sent the file'

  return response
    ? { response }
    : answerAsDocumented({ ...documentedRequest(request.admitted), sourceReason })
}

/** The response with the records that an action shows. */
function showRecords(performed: Performed, request: RecordRequest): Awaitable<BehaviourResult> {
  const { shown, of: resource = request.view.resource } = performed
  const { parameters, store, view } = request

  return whenKnown(followReferences(shown, { resource, parameters, store, view }), (followed) => {
    const latest = latestOf(performed, request, followed)
    return latest?.response
      ? { response: latest.response }
      : makeResponse(performed, request, latest, followed)
  })
}

async function makeResponse(
  performed: Performed,
  request: RecordRequest,
  latest: LatestOf | undefined,
  followed: FollowedRecords | undefined,
): Promise<BehaviourResult> {
  const { binding, admitted } = request
  const wanted = documentedRequest(admitted)
  const { source, undo, headers = performed.page?.readHeaders() ?? {} } = performed
  const figure = figureFor(performed, binding)
  const flagged = flaggedResponse(binding.operation, admitted.input.query)
  const own = performed.status ?? flagged ?? usualStatus(binding)
  const media = binding.action === 'remove' ? {} : { media: ANY_JSON }
  try {
    const answering = answerAsDocumented({
      ...wanted,
      ...(own !== undefined && { status: own }),
      ...(figure && { figure }),
      own: {
        headers,
        ...media,
        ...(source && { source, sourceReason: source === 'invented' ? UNKNOWN_ID : NOT_KEPT }),
        ...valuesOf(performed, wanted, request, followed),
      },
    })
    const answer = answering instanceof Promise ? await answering : answering
    const { response } = answer
    const noted = notesOf(performed, request)
    const unused: readonly Note[] = noted instanceof Promise ? await noted : noted
    const notes = unused.length > 0 ? [...answer.notes, ...unused] : answer.notes
    if (unused.length === 0) latest?.keep(response)
    const { changes } = performed
    return { response, ...(undo && { undo }), ...(changes && { changes }), notes }
  } catch (error) {
    // A client that accepts no media type of the response must not change anything.
    await undo?.()
    throw error
  }
}

/** The values of a change, and of the hints of its operation, that are not in its record. */
function unusedIn(performed: Performed, request: RecordRequest): readonly Note[] {
  const unset = performed.values && invalidSetIn(request, performed)
  return [overruledIn(request, performed.shown), unset, unkeptIn(request)].flatMap(
    (notes) => notes ?? [],
  )
}

/** What an answer does not tell by itself. */
function notesOf(performed: Performed, request: RecordRequest): Awaitable<readonly Note[]> {
  const { undo, page } = performed
  if (undo) return unusedIn(performed, request)
  const unread = unreadFilters(request)
  return page?.records.length === 0 ? withUnmade(unread, request) : unread
}

/** Notes, with why a list has no records where no value matches their schema. */
async function withUnmade(
  notes: readonly Note[],
  { view }: RecordRequest,
): Promise<readonly Note[]> {
  const { unmadeReason } = await import('../first-records/unmade-reason.ts')
  const place = unmadeReason(view.resource)

  return place === undefined ? notes : [...notes, { kind: 'unmade-records', place }]
}

/** Why a response contains other records than stored ones. */
const UNKNOWN_ID = 'no record has this id'
const NOT_KEPT = 'the record cannot be kept'

/** A response, and what it was made of. */
interface LatestResponse {
  readonly made: readonly unknown[]
  readonly response: CoreResponse
}

interface LatestOf {
  readonly response?: CoreResponse | undefined
  keep(response: CoreResponse): void
}

/** The latest response of the lists that begin with each record, and that of each record that was read. */
const latestLists = new WeakMap<object, LatestResponse>()
const latestReads = new WeakMap<object, LatestResponse>()

/** The length of longer responses, which take much memory. */
const MAX_KEPT = 64 * 1024

/**
 * The latest response to the same request on the same records: clients read the same again and again, and records are never changed in
 * place, so the same ones have the same response. `undefined` for a request whose response depends on more, or that is rarely repeated.
 */
function latestOf(
  { shown, page }: Performed,
  { admitted: { request, input, status }, binding, records }: RecordRequest,
  followed: FollowedRecords | undefined,
): LatestOf | undefined {
  const { action, operation } = binding
  // A record that is created or changed may never be read.
  const isRead = operation.method === 'GET' && (action === 'list' || action === 'read')
  if (!isRead || status !== undefined || request.header('prefer') || echoes(operation))
    return undefined
  // The request may be in the response.
  if (binding.hints.answer) return undefined
  // The records that it refers to may have changed.
  if (expandsIn(binding.hints, input)) return undefined
  const latest = page ? latestLists : latestReads
  const owner = page ? (page.records[0] ?? records) : shown
  const { base, path, query } = request
  const depends = [...(page?.made ?? []), ...(followed?.made ?? [])]
  const made = [binding, base, path, query, request.header('accept'), ...depends]
  const known = latest.get(owner)

  return {
    response: known && areEqualLists(known.made, made) ? known.response : undefined,
    keep: (response) => {
      if (response.body.length <= MAX_KEPT) latest.set(owner, { made, response })
    },
  }
}

/** Whether a successful response contains headers of the request. */
const echoes = once((operation: Operation): boolean =>
  (chooseResponse(operation).documented?.headers ?? []).some(({ name }) => isEcho(name)),
)

/** Performs a request; `undefined` when its record cannot be kept and nothing else can be shown. */
function attemptTo(act: typeof perform, request: RecordRequest): Awaitable<Performed | undefined> {
  try {
    const performed = act(request)
    return performed instanceof Promise
      ? performed.catch((error: unknown) => asUnchanged(error, request))
      : performed
  } catch (error) {
    return asUnchanged(error, request)
  }
}

/** A creation shows what the client sent, although the record cannot be kept. Throws other errors again. */
function asUnchanged(error: unknown, { admitted, binding }: RecordRequest): Performed | undefined {
  if (!(error instanceof InvalidRecordError)) throw error
  if (binding.action !== 'create') return undefined

  return { shown: sentRecord(admitted, binding), source: 'generated' }
}

/** Records without what no service shows, for a response that the document does not describe. */
function withoutPasswords<Shown>(shown: Shown): Shown
function withoutPasswords(shown: unknown): unknown {
  if (Array.isArray(shown)) return shown.map((one) => withoutPasswords(one))
  if (!isObject(shown)) return shown
  const names = Object.keys(shown).filter((name) => PASSWORD.test(name))
  if (names.length === 0) return shown
  const copy = { ...shown }
  for (const name of names) delete copy[name]

  return copy
}

const PASSWORD = /(password|passwd|passphrase|passcode)(_?(confirmation|confirm|again|repeat))?$/i

/** The body of a response that the document does not describe. */
const ANY_JSON: MediaType = { mediaType: 'application/json' }

/** The status of an operation for which the document has only errors; `undefined` when it has another response. */
function usualStatus({ operation, action }: ResourceBinding): number | undefined {
  if (chooseResponse(operation).status < 400) return undefined
  if (action === 'create') return 201
  return action === 'remove' ? 204 : 200
}

function documentedRequest({
  request,
  input,
  binding,
  service,
  now,
}: AdmittedRequest): DocumentedRequest {
  const { operation } = binding
  const sourceReason =
    binding.action === 'stateless'
      ? describeReason(binding.reason, operation)
      : 'its response contains no record'

  const { body } = input
  const sent = body === undefined && operation.method !== 'GET' ? input.query : body
  // A sandbox whose operations all have records needs no rules for what is new.
  const renew = async (value: unknown, media: MediaType): Promise<unknown> => {
    const { asNew } = await import('./new-answer.ts')
    return asNew(value, media, { operation, sent, now })
  }
  const wanted = {
    ...(binding.action === 'stateless' && { sent }),
    ...(binding.action === 'stateless' && operation.method === 'POST' && { renew }),
    ...(isObject(body) && body.stream === true && { isStreamed: true }),
  }
  return { request, operation, parameters: input.path, service, sourceReason, ...wanted }
}

/** The figures of a response: those of a page, or of the records that it shows where its envelope has any. */
function figureFor(
  { page, shown }: Performed,
  { hints, resource }: ResourceBinding,
): ReadFigure | undefined {
  if (page || !hints.envelope) return page?.figure
  return figuresOfShown([shown].flat().map((record) => idOf(record, resource.id)))
}

/** The body with the records: a valid one, and one for a schema that no value matches. */
function valuesOf(
  performed: Performed,
  { operation, parameters }: DocumentedRequest,
  request: RecordRequest,
  followed: FollowedRecords | undefined,
): Pick<OwnContent, 'valueFor' | 'invalidValueFor'> {
  const { shown, of: resource = request.view.resource } = performed
  const figure = figureFor(performed, request.binding)
  const fields = fieldsIn(request.binding.hints, request.admitted.input.query)
  const expand = expansionFor(request)
  const context = {
    ...{ ...request.view, resource, operation, parameters },
    ...(fields && { fields }),
    ...(followed && { follow: followed.show }),
    ...(expand && { expand }),
  }

  const { answer } = request.binding.hints
  const record = Array.isArray(shown) ? {} : { record: shown }
  const bodyFor = (media: MediaType): Awaitable<ValueResult | undefined> =>
    recordBody(media === ANY_JSON ? withoutPasswords(shown) : shown, media, context, figure)
  const answerFor = async (media: MediaType): Promise<ValueResult | undefined> => {
    const asked = { ...request.admitted, ...record, values: performed.values }
    return withAnswer(await bodyFor(media), media, asked, context)
  }
  return {
    valueFor: answer ? answerFor : bodyFor,
    invalidValueFor: async (media) => {
      const invalid = await invalidRecordBody(shown, media, context)
      // Nobody has created it, so that it need not be shown.
      if (invalid?.lacksValue && performed.source === 'invented') throw notFound(request.admitted)
      return invalid
    },
  }
}

/** A request whose hints say what the response has besides the record. */
interface AnsweredRequest extends Pick<AdmittedRequest, 'binding' | 'input' | 'now' | 'service'> {
  /** What placeholders stand for, besides the record; default: the parts of the request. */
  readonly values?: Readonly<Record<string, unknown>> | undefined
  /** The record that the response shows; absent when it shows none, or a list. */
  readonly record?: unknown
}

/**
 * The body of a response with what the hints of the operation say about it (`answer`). `made` is the body so far; `undefined` when it has no
 * record.
 */
async function withAnswer(
  made: ValueResult | undefined,
  media: MediaType,
  { binding, input, now, values, record, service }: AnsweredRequest,
  context: ValueContext,
): Promise<ValueResult | undefined> {
  const { answer } = binding.operation.hints ?? {}
  const result = made ?? (await documentedValue(media, context, { takesText: false }))
  if ('reason' in result) return result
  const set = filledAnswer(answer, { input, now, values, record, seed: service.settings.seed })
  if (!isObject(set)) return result
  const before = isObject(result.value) ? result.value : {}

  return { ...result, value: mergeValues(before, set, now, media.schema) }
}
