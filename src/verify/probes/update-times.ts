import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { isOnItem, itemTarget, recordIn, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { hasWords, sentencesOf } from '../session/stated-rules.ts'
import { fullValues, withValues } from '../test-data/full-body.ts'
import { withOtherValues } from '../test-data/unguessable.ts'
import { effectsOf } from './actions.ts'
import { ORDER, type Probe } from './probe.ts'
import { isRevision, REVISION } from './record-parts.ts'
import { onRecord } from './stated-conflicts.ts'
import { itemOf } from './stated-relations.ts'
import { creation, idOfCreated, NOT_REACHED, onCreated, storyOf } from './steps.ts'

/** The names of times that every change moves. */
const CHANGED = /^(date|time)?[-_]?(updat|modif|chang)(ed|e)?([-_]?(at|on|date|time|timestamp))?$/i

/** What says that a time moves with each change of a record, in whatever way: "When it was last changed". */
const EACH_CHANGE =
  /\b(last|latest) (change|update|modification)\b|\blast (chang|updat|modifi)ed\b|\b(each|every|any) (change|update)\b/i

/** Times that have no fractions of a second are the same for so many milliseconds. */
const SECOND = 2000

/** What has no time of day. */
const DAY = 24 * 3_600_000

/** Fractions may be rounded. */
const FRACTION = 50

/**
 * A change moves the time of the last change. It is the change of a record that the run created early, because two times may be the same
 * when little time has passed; the check does not wait.
 */
export function updateTimeProbes(
  { bindings, actions }: BoundResource,
  texts: DocumentTexts,
): Probe[] {
  const { create, read } = bindings
  if (!create || !read || !isOnItem(create, read)) return []
  const names = [...propertiesOf(read.resource.schema)].flatMap(([name, property]) =>
    CHANGED.test(name) || isRevision(name, property) ? [name] : [],
  )
  const changes = [bindings.update, bindings.replace].flatMap((one) =>
    one && one !== create && isOnItem(create, one) ? [one] : [],
  )
  const [change] = changes
  // An action moves the time where its description names it, or where that of the time says so of actions.
  const isSaid = ({ operation }: ResourceBinding): boolean =>
    names.some(
      (name) =>
        hasWords(texts.operation(operation.id), name) ||
        /\bby\b.*\b(an|each|every|any) action\b/i.test(texts.property(read.operation.id, name)),
    )
  // One that sets something changes the record.
  const isOfChanges = names.some((name) => {
    const said = sentencesOf(texts.api).filter((one) => hasWords(one, name))
    return [texts.property(read.operation.id, name), ...said].some((one) => EACH_CHANGE.test(one))
  })
  const isChange = (one: ResourceBinding): boolean => isOfChanges && effectsOf(one).length > 0
  const moving = actions.filter(
    (one) => isOnItem(create, itemOf(one)) && (isSaid(one) || isChange(one)),
  )
  if (names.length === 0) return []
  return [
    ...[...(change ? [change] : []), ...moving].map((one) =>
      updateTimeProbe(create, read, one, names),
    ),
    untouchedProbe(create, read, names),
  ]
}

/** Reading a record does not change it. */
function untouchedProbe(
  create: ResourceBinding,
  read: ResourceBinding,
  names: readonly string[],
): Probe {
  const text = 'does not move the time of the last change when it is only read'
  const check = operationCheck(read.operation, 'untouched', text, ([, first, second]) => {
    if (!first || !second || ![first, second].every(isSuccess)) return NOT_REACHED
    const [before, after] = [first, second].map((one) => valuesIn(recordIn(one, read)))
    if (!isObject(before) || !isObject(after)) return NOT_REACHED
    const moved = names.find((name) => before[name] !== after[name])
    return passIf(
      moved === undefined,
      second,
      `"${moved}": ${JSON.stringify(moved && before[moved])}`,
    )
  })
  const steps = [creation(create), onCreated(read, create, 0), onCreated(read, create, 0)]
  return storyOf(ORDER.create + 0.6, steps, [check])
}

function updateTimeProbe(
  create: ResourceBinding,
  read: ResourceBinding,
  change: ResourceBinding,
  names: readonly string[],
): Probe {
  const text = 'moves the time of the last change, and the number of the version'
  return {
    order: ORDER.remove - 0.1,
    maxRequests: 2 + MAX_READ,
    requires: 'writes',
    checks: [
      operationCheck(change.operation, 'updated', text, ([created, before, changed, after]) => {
        if (!created || !before || !changed || !after) return NOT_REACHED
        if (![before, changed, after].every(isSuccess) || changed.status === 202) return NOT_REACHED
        const [first, old, now] = [created, before, after].map((one) =>
          valuesIn(recordIn(one, one === created ? create : read)),
        )
        if (!isObject(first) || !isObject(old) || !isObject(now)) return NOT_REACHED
        const elapsed = changed.received - created.received
        // A value that the creation has shown is not later than the creation.
        const known = names.filter(
          (name) =>
            old[name] === first[name] && (REVISION.test(name) || elapsed > resolutionOf(old[name])),
        )
        if (known.length === 0) return { leftOut: 'too little time has passed' }
        const same = known.find((name) => old[name] === now[name])
        const received = JSON.stringify(same && now[same])
        return passIf(same === undefined, after, `another "${same}"`, received)
      }),
    ],
    send: async (session) => {
      for (const created of oldestOf(create, read, session)) {
        const reading = await onRecord(session, created, create, read)
        const before = reading && (await session.send(reading))
        if (!reading || !before || !isStill(created, before, { create, read, names })) continue
        const plain = await onRecord(session, created, create, change)
        const request = plain && (change.action === 'act' ? plain : withOther(plain, change))
        if (!request) return []
        return [created, before, await session.send(request), await session.send(reading)]
      }
      return []
    },
  }
}

/** A change of all values to other ones. */
function withOther(request: ProbeRequest, change: ResourceBinding): ProbeRequest {
  return withValues(withOtherValues(request, change), change, fullValues(change))
}

/** Whether a record is where it was created, and has one of some values still: what refers to it may have changed it. */
function isStill(
  created: ProbeResponse,
  before: ProbeResponse,
  {
    create,
    read,
    names,
  }: {
    readonly create: ResourceBinding
    readonly read: ResourceBinding
    readonly names: readonly string[]
  },
): boolean {
  if (!isSuccess(before)) return false
  const [first, old] = [valuesIn(recordIn(created, create)), valuesIn(recordIn(before, read))]
  return !(isObject(first) && isObject(old)) || names.some((name) => first[name] === old[name])
}

/** How long a time may stay the same, in milliseconds; without an end for a value that is no time. */
function resolutionOf(value: unknown): number {
  if (typeof value === 'number') return SECOND
  if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) return Number.POSITIVE_INFINITY
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return DAY
  return /\d[.,]\d*[1-9]/.test(value) ? FRACTION : SECOND
}

/** The most records that are read to find one that is still there. */
const MAX_READ = 6

/** The first creations of records that are still there, as far as is known, and that no request has changed since. */
function oldestOf(
  create: ResourceBinding,
  change: ResourceBinding,
  { responses, gate }: Session,
): readonly ProbeResponse[] {
  const [base = ''] = create.operation.basePaths ?? []
  const isUnchanged = (one: ProbeResponse): boolean => {
    const id = one.request.operation === create.operation ? idOfCreated(one, create) : undefined
    if (id === undefined) return false
    const path = itemTarget(one, change.operation, id)
    const isChanged = responses.some(
      ({ request }) =>
        request.method !== 'GET' && request !== one.request && request.target.startsWith(path),
    )
    return !isChanged && gate.own.has([base, ...path.slice(1).split('/')])
  }
  return responses.filter(isUnchanged).slice(0, MAX_READ)
}
