import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, operationCheck, passIf } from '../checks/check.ts'
import { confirmed, sentRecord, shows } from '../checks/shown-values.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import { recordIn, valuesIn } from '../record-address.ts'
import { hasWords, sentencesOf } from '../session/stated-rules.ts'
import { choicesFor, withValues } from '../test-data/full-body.ts'
import type { Changed } from './changed-values.ts'
import { NOT_REACHED, onCreated, type Step } from './steps.ts'

/** Where the steps of a change are in its story. */
const [FIRST, SECOND, BEFORE, LAST_CHANGE] = [0, 1, 3, 4]

/**
 * What a record has of enums and of true and false is changed, where a service allows it, at the end of a story with two records, of which
 * the first one was read and changed.
 */
export function choiceSteps(
  create: ResourceBinding,
  change: ResourceBinding,
  read: ResourceBinding,
): readonly Step[] {
  return [
    choiceStep(create, change, read, true),
    // A service may not allow each state after each other one.
    choiceStep(create, change, read, false),
    onCreated(read, create, FIRST),
    onCreated(read, create, SECOND),
  ]
}

/** The record shows the new values, the other record stays, and so does what says when and by whom the record was created. */
export function choiceChecks(
  { create, change, read }: Changed,
  texts: DocumentTexts,
): readonly CheckDefinition[] {
  return [
    chosenCheck(change, read),
    othersCheck(create, change, read),
    originCheck(change, read, fixedNames(read, texts)),
  ]
}

/** Other choices than the record has, unless they are changed already. */
function choiceStep(
  create: ResourceBinding,
  change: ResourceBinding,
  read: ResourceBinding,
  hasStates: boolean,
): Step {
  return async (session, before) => {
    if (doneIn(before, change)) return null
    const record = before[BEFORE] && valuesIn(recordIn(before[BEFORE], read))
    const values = choicesFor(change, isObject(record) ? record : {}, hasStates)
    if (Object.keys(values).length === 0) return null
    const step = onCreated(change, create, FIRST, (one) => withValues(one, change, values))
    return await step(session, before)
  }
}

/** The successful change of choices in a story. */
function doneIn(
  responses: readonly ProbeResponse[],
  { operation }: ResourceBinding,
): ProbeResponse | undefined {
  return responses.find(
    (one, at) => at > LAST_CHANGE && one.request.operation === operation && isSuccess(one),
  )
}

/** The reads of both records at the end of a story. */
function lastReads(
  responses: readonly ProbeResponse[],
  { operation }: ResourceBinding,
): readonly [first: ProbeResponse | undefined, second: ProbeResponse | undefined] {
  const [first, second] = responses.slice(-2)
  const isEnd = [first, second].every((one) => one?.request.operation === operation)
  return isEnd && responses.length > LAST_CHANGE + 2 ? [first, second] : [undefined, undefined]
}

/** What a change sent that the run chose: without what the document has in every change. */
function chosenCheck(change: ResourceBinding, read: ResourceBinding): CheckDefinition {
  const name = 'changes values of enums, and true and false'
  return operationCheck(change.operation, 'choices', name, (all) => {
    const done = doneIn(all, change)
    const [found] = lastReads(all, read)
    if (!done || !found || !isSuccess(found)) return NOT_REACHED
    const sent = sentRecord(done, change)
    const chosen = new Set(Object.keys(choicesFor(change, {})))
    const values = Object.entries(isObject(sent) ? sent : {}).filter(([one]) => chosen.has(one))
    if (values.length === 0) return { leftOut: 'the record has no such values' }
    return shows(found, read, values, 'as the change says')
  })
}

function othersCheck(
  create: ResourceBinding,
  change: ResourceBinding,
  read: ResourceBinding,
): CheckDefinition {
  const name = 'changes no other record with values of enums, and true and false'
  return operationCheck(change.operation, 'others/choices', name, (all) => {
    const second = all[SECOND]
    const [, other] = lastReads(all, read)
    if (!doneIn(all, change) || !second || !other || !isSuccess(other)) return NOT_REACHED
    return shows(other, read, confirmed(second, create), 'as the other record was created')
  })
}

/** The names of what a change of a record does not touch. */
const ORIGIN =
  /^(date|time)?[-_]?(creat|insert|regist)(ed|ion)?([-_]?(at|on|by|date|time|timestamp))?$/i

/** The names of what a description says that no change touches: "`ordered_at` never changes". */
function fixedNames(
  { resource, operation }: ResourceBinding,
  texts: DocumentTexts,
): ReadonlySet<string> {
  const parts = sentencesOf(texts.api).flatMap((one) => one.split(/,\s+(?!and\b)/))
  const said = parts.filter((one) => NEVER.test(one))
  const names = [...propertiesOf(resource.schema).keys()].filter(
    (name) =>
      NEVER.test(texts.property(operation.id, name)) || said.some((one) => hasWords(one, name)),
  )
  return new Set(names)
}

const NEVER = /\bnever (changes?|moves?)\b/i

function originCheck(
  change: ResourceBinding,
  read: ResourceBinding,
  fixed: ReadonlySet<string>,
): CheckDefinition {
  const name = 'keeps when and by whom a record was created, and what never changes'
  return operationCheck(change.operation, 'origin', name, (all) => {
    const before = all[BEFORE]
    const [after] = lastReads(all, read)
    const changes = all.filter(({ request }) => request.operation === change.operation)
    if (!before || !after || ![before, after].every(isSuccess) || !changes.some(isSuccess))
      return NOT_REACHED
    const sent = Object.assign({}, ...changes.map((one) => sentRecord(one, change)))
    const [old, now] = [before, after].map((one) => valuesIn(recordIn(one, read)))
    if (!isObject(old) || !isObject(now)) return NOT_REACHED
    const kept = Object.entries(old).filter(
      ([one, value]) =>
        (ORIGIN.test(one) || fixed.has(one)) &&
        ['string', 'number'].includes(typeof value) &&
        !(one in sent),
    )
    if (kept.length === 0) return { leftOut: 'the record does not show it' }
    const [lost, value] = kept.find(([one]) => now[one] !== old[one]) ?? []
    return passIf(
      lost === undefined,
      after,
      `"${lost}": ${JSON.stringify(value)}, as before the change`,
    )
  })
}
