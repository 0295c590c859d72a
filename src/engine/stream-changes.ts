import type { Operation } from '../contract/contract.ts'
import { chooseResponse, contentOf, documentedResponse } from '../contract/documented-response.ts'
import { EVENT_STREAM, eventStreamOf } from '../contract/event-stream.ts'
import type { NumberedEvent } from '../events/cause.ts'
import { kindNamed } from '../events/event-names.ts'
import { streamedEvent, streamedId } from '../events/streamed-events.ts'
import type { FollowedEvents } from '../events/world-events.ts'
import { SOURCE_HEADER } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import { parametersIn, withoutNames } from '../inference/path-shape.ts'
import { streamedPaths } from '../inference/streams.ts'
import type { StoredRecord } from '../records/record-table.ts'
import { matcherOf } from '../records/selection.ts'
import {
  type AdmittedRequest,
  type BehaviourResult,
  notFound,
} from '../resources/behaviour/record-request.ts'
import { resourceNamed } from '../resources/bind.ts'
import { collectionName } from '../resources/collection-name.ts'
import { idOf } from '../resources/id-generator.ts'
import { readFilters } from '../resources/paging/read-filters.ts'
import type { Resource } from '../resources/resource.ts'
import type { Store } from '../resources/store/store.ts'
import { orderMediaTypes } from '../responses/choose-media-type.ts'
import { openEventStream, type StreamSink } from '../responses/content/event-stream.ts'
import { preferredExample } from '../responses/documented-answer.ts'
import { isObject } from '../validation/objects.ts'
import type { Service } from './service.ts'

/** So many streams of a sandbox are open at a time. */
const MAX_STREAMS = 1000

/** Whether a request is for a stream: not for another status, an example, or a media type that the client wants more. */
export function asksForStream({
  binding: { operation },
  request,
  status,
}: AdmittedRequest): boolean {
  if (status !== undefined || !eventStreamOf(operation)) return false
  if (preferredExample(request.header('prefer')) !== undefined) return false
  const { documented } = chooseResponse(operation)
  const content = documented ? contentOf(documented) : []
  const [best] = orderMediaTypes(content, request.header('accept'))
  const isRefused = !best?.isAccepted && operation.responses.some((one) => one.status === 406)

  return best?.mediaType === EVENT_STREAM && !isRefused
}

/** Answers with a stream of what happens to records from now on, or after the event that the client got last. */
export async function streamChanges(
  admitted: AdmittedRequest,
  store: Store,
  { events, service }: { readonly events: FollowedEvents; readonly service: Service },
): Promise<BehaviourResult> {
  const { binding, request } = admitted
  const { operation } = binding
  const media = eventStreamOf(operation)
  if (!media) throw new TypeError('The operation has no events')
  const { streams } = service
  if (streams.size >= MAX_STREAMS)
    throw problems.unavailable(`${MAX_STREAMS} streams of events are open.`, 1)
  const concerns = await scopeOf(admitted, store)
  const { contentType = media.mediaType } = media
  const isShown = service.settings.contract.sandbox?.sourceHeader !== false
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': 'no-store',
    ...(isShown && { [SOURCE_HEADER]: 'record' }),
  }
  const { status } = chooseResponse(operation)
  const response = { status, headers, body: '', source: 'record' } as const
  if (request.method === 'HEAD') return { response }
  await events.announceStream()
  const context = { media, service, base: request.base }
  const follow = (sink: StreamSink): (() => void) => {
    const tell = inTurn(async (happened: NumberedEvent) => {
      const event = await streamedEvent(happened, context)
      if (event) sink.send(event)
    }, sink.end)
    const last = request.header('last-event-id') ?? ''
    return events.follow({
      tell: (one) => {
        if (concerns(one)) tell(one)
      },
      end: sink.end,
      ...(last !== '' && { isLast: (one) => String(streamedId(one, media)) === last }),
    })
  }
  return { response: { ...response, stream: () => openEventStream(streams, follow) } }
}

/** Calls a function with one value after another, each when the one before is done. `end` is called when it fails. */
function inTurn<Value>(
  act: (value: Value) => Promise<void>,
  end: () => void,
): (value: Value) => void {
  let last = Promise.resolve()
  return (value) => {
    last = last.then(() => act(value)).catch(end)
  }
}

/** Tells of which events a request is: of those at its path, and with the values that a list is asked for. */
async function scopeOf(
  admitted: AdmittedRequest,
  store: Store,
): Promise<(happened: NumberedEvent) => boolean> {
  const { binding, request, input, service } = admitted
  const { operation } = binding
  const { hints } = operation
  const names = [hints?.streams ?? []].flat()
  const found = names.flatMap((name) => resourceNamed(service.settings.contract, name) ?? [])
  const scopes = await Promise.all(found.map((one) => scopeIn(one, admitted, store)))
  const { matches } = matcherOf(
    hints?.action === 'list'
      ? await readFilters(hints.filters, {
          request,
          query: input.query,
          schema: found[0]?.schema ?? {},
        })
      : {},
  )

  return ({ event, change, data }) =>
    scopes.some(({ resource, collection, id }) => {
      if (!change) {
        const isNamed = kindNamed(event.type, resource.path) !== undefined
        const record: StoredRecord = isObject(data) ? data : {}
        return isNamed && (id === undefined || String(record[resource.id]) === id)
      }
      const { record, before = record } = change
      return (
        change.resource.name === resource.name &&
        (collection === undefined || change.collection === collection) &&
        (id === undefined || String(idOf(record, resource.id)) === id) &&
        (matches(record) || matches(before))
      )
    })
}

/** The records of a resource whose changes a request is about. */
interface Scope {
  readonly resource: Resource
  /** The name of their collection; absent when it is about all. */
  readonly collection?: string
  /** The id of the only one; absent when it is about all of the collection. */
  readonly id?: string
}

async function scopeIn(
  resource: Resource,
  admitted: AdmittedRequest,
  store: Store,
): Promise<Scope> {
  const { binding, input } = admitted
  const collectionShape = withoutNames(resource.path)
  const path = streamedPaths(binding.operation.path).find((one) =>
    [collectionShape, `${collectionShape}/{}`].includes(withoutNames(one)),
  )
  if (path === undefined) return { resource }
  const values = parametersIn(path).map((name) => input.path[name])
  const parents = parametersIn(resource.path)
  const parameters = Object.fromEntries(parents.map((name, at) => [name, values[at]]))
  const collection = collectionName(resource, parameters)
  if (withoutNames(path) === collectionShape) return { resource, collection }
  const records = await store.open(resource, parameters)
  const named = await records.idNamed(String(values.at(-1)))
  const { record } = await records.ancestor(String(named))
  if (!record && isRefused(resource, admitted)) throw notFound(admitted)

  return { resource, collection, id: String(record ? idOf(record, resource.id) : named) }
}

/** Whether an unknown record is a 404: where the document has that for the stream, or for what reads the record. */
function isRefused({ operations = [] }: Resource, { binding, service }: AdmittedRequest): boolean {
  const { unknownIds = 'auto' } = service.settings
  if (unknownIds !== 'auto') return unknownIds !== 'create'
  const { status } = problems.notFound('')
  const has = (operation: Operation): boolean => documentedResponse(operation, status) !== undefined
  const reads = operations.filter(({ hints }) => hints.action === 'read')

  return has(binding.operation) || reads.some(({ operation }) => has(operation))
}
