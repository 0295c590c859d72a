import type { TraceRequest, TraceResponse } from '../replay.ts'
import { createSeededRandom } from '../seeded-random.ts'
import type { StoryDocument, StoryRequest } from './documents.ts'
import type { OpenedPlace, Place } from './places.ts'

/** A request, and its response in the place where the story was recorded. */
export interface StoryStep {
  readonly request: TraceRequest
  readonly response: TraceResponse
}

/** The story is told twice in its order, so that everything is done to new and to changed records. */
const ROUNDS = 2

/** Sends the requests of a document in their order, and then random ones, and records the responses. */
export async function recordStory(
  document: StoryDocument,
  place: Place,
  { seed = 1, random: count = 20 }: { readonly seed?: number; readonly random?: number } = {},
): Promise<readonly StoryStep[]> {
  const random = createSeededRandom(seed)
  const ids = new Map<string, string[]>(
    Object.entries(document.ids).map(([name, known]) => [name, [...known]]),
  )
  const steps: StoryStep[] = []
  const opened = await place.open(document)
  const send = async (templates: StoryRequest, choose: (known: string[]) => string) => {
    const request = requestOf(document, templates, (name) => choose(ids.get(name) ?? []))
    const response = await opened.send(request)
    steps.push({ request, response })
    learn(ids, response.body)
  }
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const choose = (known: string[]): string => known.at(round === 0 ? 0 : -1) ?? ''
      for (const template of document.requests) await send(template, choose)
    }
    for (let sent = 0; sent < count; sent += 1) {
      const chosen = random.pick(document.requests)
      await send(chosen, (known) => known[random.below(known.length)] ?? '')
    }
  } finally {
    await opened.close()
  }
  return steps
}

/** Sends the requests of recorded steps in another place, and returns the steps with its responses. */
export async function replayStory(
  steps: readonly StoryStep[],
  opened: OpenedPlace,
): Promise<readonly StoryStep[]> {
  const replayed: StoryStep[] = []
  for (const { request } of steps) {
    replayed.push({ request, response: await opened.send(request) })
  }
  return replayed
}

function requestOf(
  { headers }: StoryDocument,
  request: StoryRequest,
  idFor: (name: string) => string,
): TraceRequest {
  const [target, body, type = 'application/json'] =
    typeof request === 'string' ? [request] : request
  const [method = '', template = ''] = target.split(' ')
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(idFor(name)),
  )
  const text = typeof body === 'object' ? JSON.stringify(body) : body

  return {
    method,
    path,
    headers: { ...headers, ...(text !== undefined && { 'content-type': type }) },
    ...(text !== undefined && { body: text }),
  }
}

/** Adds the ids in a response: members of JSON and attributes of XML. */
function learn(ids: Map<string, string[]>, body: string): void {
  for (const [name, known] of ids) {
    const found = body.matchAll(new RegExp(`\\b${name}"?[:=](?:"([^"]+)"|(\\d+))`, 'g'))
    for (const [, text, number] of found) {
      const id = text ?? number
      if (id !== undefined && !known.includes(id)) known.push(id)
    }
  }
}
