// What differs between a document whose hints are inferred, and the same document with printed hints instead.
import { isDeepStrictEqual } from 'node:util'

const ORIGIN = 'http://127.0.0.1'
const TIME = '2027-03-01T12:00:00Z'
/** An answer may be a stream without an end. */
const TIMEOUT = 10_000
const MAX_COLLECTIONS = 20
const MAX_RECORDS = 3

/** The fields of a resource that are data. The others are schemas and functions. */
const RESOURCE_FIELDS = [
  ...['name', 'path', 'item', 'id', 'hasHiddenIds', 'ids', 'isSingle', 'changesLater', 'view'],
  ...['idParameter', 'parents', 'filters', 'operations', 'hidden'],
]

/**
 * The differences between two contracts, as `{ kind, name, inferred, hinted }`: hints, resources, bindings, first records, and
 * answers to `requests`. `face` has `createSandbox` and `createControl` of the package.
 */
export async function findDifferences({ inferred, hinted }, requests, face) {
  const one = openSandbox(inferred, face)
  const other = openSandbox(hinted, face)
  return [
    ...compareNamed('hints', hintsOf(inferred), hintsOf(hinted)),
    ...compareNamed('resource', resourcesOf(inferred), resourcesOf(hinted)),
    ...compareNamed('binding', await bindingsOf(one), await bindingsOf(other)),
    ...compareNamed('first records', await recordsOf(one.sandbox), await recordsOf(other.sandbox)),
    ...(await compareAnswers(one.sandbox, other.sandbox, requests)),
  ]
}

function openSandbox(contract, { createSandbox, createControl }) {
  const sandbox = createSandbox({ contract, seed: 1 })
  sandbox.clock.set(TIME)
  return { sandbox, control: createControl(sandbox) }
}

/** Pairs of a name and a value, so that operations with the same id stay apart. */
function hintsOf({ operations }) {
  return operations.map(({ id, hints }) => [id, hints])
}

function resourcesOf({ resources = {} }) {
  const fieldsOf = (resource) => RESOURCE_FIELDS.map((field) => [field, resource[field]])
  return Object.entries(resources)
    .filter(([, resource]) => resource)
    .map(([name, resource]) => [name, Object.fromEntries(fieldsOf(resource))])
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

/** How the control interface explains the operations, which is what `explain --json` prints. */
async function bindingsOf({ control }) {
  const request = new Request(`${ORIGIN}/__sandbox/operations`)
  const response = await control.fetch(request, { address: '127.0.0.1' })
  return (await response.json()).map(({ operation, ...rest }) => [operation, rest])
}

/** The first records of the collections at the top. Those of other collections are in answers. */
async function recordsOf(sandbox) {
  const names = sandbox.collections.filter((name) => !name.includes('{')).sort()
  const found = []
  for (const name of names.slice(0, MAX_COLLECTIONS)) {
    const list = () => sandbox.collection(name).list({ limit: MAX_RECORDS })
    found.push([name, await attempt(list)])
  }
  return found
}

async function compareAnswers(one, other, requests) {
  const found = []
  for (const request of requests) {
    const name = `${request.method} ${request.path}`
    const [inferred, hinted] = await Promise.all([answerOf(one, request), answerOf(other, request)])
    found.push(...compareNamed('answer', [[name, inferred]], [[name, hinted]]))
  }
  return found
}

function answerOf(sandbox, { method, path, headers, body }) {
  return attempt(async () => {
    const signal = AbortSignal.timeout(TIMEOUT)
    const sent = new Request(ORIGIN + path, { method, headers, body, signal })
    const response = await sandbox.fetch(sent)
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await textOf(response, signal),
    }
  })
}

function textOf(response, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve('a stream'))
    response.text().then(resolve, reject)
  })
}

async function attempt(make) {
  try {
    return await make()
  } catch (error) {
    return { failure: String(error) }
  }
}

function compareNamed(kind, inferred, hinted) {
  const count = Math.max(inferred.length, hinted.length)
  return Array.from({ length: count }, (_, at) => [inferred[at], hinted[at]])
    .map((pair) => pair.map(plain))
    .filter(([one, other]) => !isDeepStrictEqual(one, other))
    .map(([one, other]) => ({
      kind,
      name: one?.[0] ?? other?.[0],
      inferred: one?.[1],
      hinted: other?.[1],
    }))
}

/** A field that is `undefined` is the same as an absent one. */
function plain(value) {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
