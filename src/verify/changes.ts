import type { Contract, Operation } from '../contract/contract.ts'
import { groupBy } from '../validation/objects.ts'
import { type Lanes, runInLanes } from './lanes.ts'
import {
  isGone,
  isSafeMethod,
  isSuccess,
  NotSent,
  type ProbeRequest,
  type ProbeResponse,
  retryAfter,
} from './messages.ts'
import type { Probe } from './probes/probe.ts'
import {
  boundTo,
  collectionPath,
  idIn,
  isAt,
  isItemOf,
  isSameTemplate,
  listedIn,
  type RecordPath,
  recordsAt,
  recordTemplate,
  segmentsOf,
  templateOf,
  withPath,
} from './record-address.ts'
import { itemTemplateElsewhere } from './session/item-templates.ts'
import type { PlannedChanges, VerifySettings } from './session/options.ts'
import type { UnclearCreation } from './session/own-records.ts'
import { NoResponse } from './session/send-and-read.ts'
import type { Session } from './session/session.ts'
import { validRequest } from './session/valid-request.ts'
import { wordsOf } from './test-data/unguessable.ts'

/** What probes may change: each may create a record, unless it changes what exists once. */
export function plannedChanges(
  probes: readonly Probe[],
  session: Session,
  { writes, budget, fuzz }: Pick<VerifySettings, 'writes' | 'budget' | 'fuzz'>,
): PlannedChanges {
  const { creations, settings } = session.gate
  const { contract } = session.target
  const counts = new Map<Operation, number>()
  const isSendable = (operation: Operation): boolean =>
    session.reasonToExclude(operation) === undefined
  const changed = new Set<string>()
  const count = (creation: Operation, records = 1): void => {
    counts.set(creation, (counts.get(creation) ?? 0) + Math.max(1, records))
    const parent = creations.at(recordTemplate({ path: collectionPath(creation) }), creation)
    if (parent && !counts.has(parent)) count(parent)
  }
  const writing = probes.filter(({ requires }) => writes && requires === 'writes')
  for (const probe of writing) {
    for (const operation of changingOperations(probe, contract).filter(isSendable)) {
      const isCreation = creations.has(operation)
      if (!isCreation && settings.reasonToRefuse(operation) === undefined) {
        changed.add(operation.path)
        continue
      }
      const creation = isCreation ? operation : creations.at(recordTemplate(operation), operation)
      if (creation && isSendable(creation) && !(probe.isFallback && counts.has(creation)))
        count(creation, probe.creations)
    }
  }
  const removals = contract.operations.filter((one) => one.method === 'DELETE' && isSendable(one))
  return {
    creations: [...counts].map(([creation, records]) => ({
      path: collectionPath(creation),
      records: Math.min(records, budget) + fuzz,
      isRemovable: removals.some((one) => isOnRecordOf(creation, one, contract)),
    })),
    settings: [...changed],
  }
}

/** Whether an operation is on one record that another one creates. */
function isOnRecordOf(creation: Operation, one: Operation, contract: Contract): boolean {
  const elsewhere = itemTemplateElsewhere(contract, creation)
  return elsewhere ? isSameTemplate(segmentsOf(one.path), elsewhere) : isItemOf(creation, one)
}

/** The operations of a probe that change something. */
function changingOperations(
  { checks, exercises }: Probe,
  { operations }: Contract,
): readonly Operation[] {
  const ids = new Set(checks.map(({ operation }) => operation))
  return operations.filter(
    (one) => !isSafeMethod(one.method) && (one === exercises || ids.has(one.id)),
  )
}

/** What a run created or changed, and could not remove or restore. */
export interface Leftover {
  /** The path of a record or of settings, or what else is left. */
  readonly what: string
  readonly reason: string
  /** The request that removes or restores it, where the document has one. */
  readonly request?: ProbeRequest
}

/** After so many removals in a row without a success, no more are sent. */
const MAX_FAILURES = 3

/** Restores settings, and removes what a run created, the newest first. Returns what is left. */
export async function cleanUp(
  session: Session,
  lanes: Lanes,
  limit: () => number,
): Promise<readonly Leftover[]> {
  const { settings, own } = session.gate
  await restoreSettings(session)
  const unclear = await findUnclear(session)
  const left: LeftRecord[] = []
  const removals = new Map<string, Removals>()
  await runInLanes(
    own.newestFirst,
    (path) => lanes.ofRecord(path),
    limit,
    async (path) => {
      const lane = lanes.ofRecord(path)
      const counts: Removals = removals.get(lane) ?? { trusted: new Map(), failures: 0 }
      removals.set(lane, counts)
      left.push(...(await removeRecord(session, path, counts)))
    },
  )

  return [
    ...settings.unrestored.map(({ path, reason, request }) => ({ what: path, reason, request })),
    ...left.filter(({ path, isStillThere }) => isStillThere || own.has(path)).map(shown),
    ...describeUnclear(unclear),
  ]
}

/** Writes back what the requests since the last time have changed in settings. */
export async function restoreSettings(session: Session): Promise<void> {
  await session.gate.settings.restore((request) => sendPatiently(session, request))
}

interface LeftRecord extends Omit<Leftover, 'what'> {
  readonly path: RecordPath
  /** Whether a removal succeeded, and the record was found afterwards. */
  readonly isStillThere?: true
}

function shown({ path, reason, request }: LeftRecord): Leftover {
  return { what: textOf(path), reason, ...(request && { request }) }
}

function textOf(path: RecordPath): string {
  return `/${path.slice(1).join('/')}`
}

/** What the removals of a lane have shown. */
interface Removals {
  /** Whether a removed record was not found afterwards. */
  readonly trusted: Map<Operation, boolean>
  /** The number of failures in a row, apart from conflicts: the state of one record says nothing about others. */
  failures: number
}

async function removeRecord(
  session: Session,
  path: RecordPath,
  counts: Removals,
): Promise<readonly LeftRecord[]> {
  if (!session.gate.own.has(path)) return []
  const remove = operationAt(session, 'DELETE', path)
  const removal = remove ? await requestAt(session, remove, path) : NO_REMOVAL
  if (!remove || 'reason' in removal) return [{ path, reason: NO_REMOVAL.reason, ...removal }]
  const reason = await reasonOfFailure(session, removal.request, counts)
  if (reason !== undefined) return [{ path, reason, ...removal }]
  const isRemoved = counts.trusted.get(remove) ?? (await isAbsent(session, path))
  counts.trusted.set(remove, isRemoved)
  return isRemoved ? [] : [{ path, reason: STILL_THERE, isStillThere: true, ...removal }]
}

const NO_REMOVAL = { reason: 'no operation of the document removes it' }
const GIVEN_UP = 'several removals in a row failed, so that no more were sent'
const STILL_THERE = 'its removal succeeded, but a removed record is still there'

/** The operation with a method on one record at a path, and on nothing below it. */
function operationAt({ target }: Session, method: string, path: RecordPath): Operation | undefined {
  return target.contract.operations.find(
    (one) =>
      one.method === method &&
      recordTemplate(one).length === segmentsOf(one.path).length &&
      isAt(path, templateOf(one)),
  )
}

async function requestAt(
  session: Session,
  operation: Operation,
  path: RecordPath,
): Promise<{ readonly request: ProbeRequest } | { readonly reason: string }> {
  try {
    const request = await validRequest(operation, session)
    return { request: { ...request, target: withPath(request.target, textOf(path)) } }
  } catch (error) {
    if (error instanceof NotSent || error instanceof NoResponse) return { reason: error.message }
    throw error
  }
}

/** Why a removal failed; `undefined` when the record is gone. */
async function reasonOfFailure(
  session: Session,
  request: ProbeRequest,
  counts: Removals,
): Promise<string | undefined> {
  if (counts.failures >= MAX_FAILURES) return GIVEN_UP
  const first = await orReason(sendPatiently(session, request))
  const isConflict = typeof first !== 'string' && first.status === 409
  const removed = isConflict
    ? await orReason(session.removeEnded(first, (one) => sendPatiently(session, one)))
    : first
  const isDone = typeof removed !== 'string' && (isSuccess(removed) || isGone(removed))
  if (!isConflict) counts.failures = isDone ? 0 : counts.failures + 1
  if (typeof removed === 'string') return removed
  if (!isDone) return `${request.method} returned ${removed.status}`
  session.gate.own.forget(removed)
  return undefined
}

/** Whether a removed record is not found, as far as the document has an operation that reads it. */
async function isAbsent(session: Session, path: RecordPath): Promise<boolean> {
  const read = operationAt(session, 'GET', path)
  if (!read) return true
  const found = await requestAt(session, read, path)
  if ('reason' in found) return true
  const response = await orReason(sendPatiently(session, found.request))
  return typeof response === 'string' || !isSuccess(response)
}

async function orReason(sent: Promise<ProbeResponse>): Promise<ProbeResponse | string> {
  try {
    return await sent
  } catch (error) {
    if (error instanceof NotSent || error instanceof NoResponse) return error.message
    throw error
  }
}

/** Waits once when the quota is used up. */
async function sendPatiently(session: Session, request: ProbeRequest): Promise<ProbeResponse> {
  const response = await session.sendOutsideBudget(request)
  if (response.status !== 429) return response
  await session.waitFor(retryAfter(response), 'what the run created is removed')
  return await session.sendOutsideBudget(request)
}

/**
 * Looks in the lists of collections for records of creations whose responses did not show them: they have a word that only the run
 * has sent. Returns the creations whose records were not found.
 */
async function findUnclear(session: Session): Promise<readonly UnclearCreation[]> {
  const { own } = session.gate
  const found = new Set<string>()
  const collections = new Map(own.unclear.map((one) => [one.path.join('/'), one]))
  for (const { path, operation } of collections.values()) {
    for (const [id, words] of await listedWords(session, operation, path)) {
      if (!own.unclear.some((one) => one.words.some((word) => words.includes(word)))) continue
      own.add(own.pathOf(operation, path, id))
      for (const word of words) found.add(word)
    }
  }
  return own.unclear.filter(({ words }) => words.every((word) => !found.has(word)))
}

/** The ids of listed records, and the words of runs that the records contain. */
async function listedWords(
  session: Session,
  creation: Operation,
  path: RecordPath,
): Promise<readonly (readonly [id: string, words: readonly string[]])[]> {
  const list = session.target.contract.operations.find(
    (one) => one.method === 'GET' && !one.conditions && isAt(path, templateOf(one)),
  )
  const binding = list && boundTo(session.target.contract, list)
  if (!list || binding?.action !== 'list' || creation.basePaths !== list.basePaths) return []
  const request = await requestAt(session, list, path)
  const listed =
    'reason' in request ? undefined : await orReason(sendPatiently(session, request.request))
  if (!listed || typeof listed === 'string' || !isSuccess(listed)) return []
  const records = recordsAt(listed, binding) ?? listedIn(listed.json)

  return records.flatMap((record) => {
    const id = idIn(record, binding)
    const words = wordsOf(JSON.stringify(record) ?? '')
    return id === undefined || words.length === 0 ? [] : [[id, words] as const]
  })
}

/** The number of words that are shown for one reason. */
const MAX_WORDS = 3

function describeUnclear(unclear: readonly UnclearCreation[]): Leftover[] {
  const groups = groupBy(unclear, ({ path, reason }) => JSON.stringify([path, reason]))
  return [...groups.values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const words = same.flatMap(({ words: [word] }) => (word === undefined ? [] : `"${word}"`))
    const more = words.length > MAX_WORDS ? ', …' : ''
    const search =
      words.length > 0 ? `; search for ${words.slice(0, MAX_WORDS).join(', ')}${more}` : ''
    const records = same.length === 1 ? 'a record' : `${same.length} records`
    return { what: `perhaps ${records} in ${textOf(first.path)}`, reason: first.reason + search }
  })
}
