import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { areEqual, isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluation,
  failure,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { confirmed, sentRecord, shows } from '../checks/shown-values.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  idIn,
  isOnCollection,
  isOnItem,
  recordIn,
  recordsAt,
  sentPlace,
  valuesIn,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isInvalidInput } from '../session/accepted-bodies.ts'
import { membersOf } from '../session/stated-rules.ts'
import { formattedValues, nullableValues } from '../test-data/formatted-values.ts'
import {
  fullValues,
  oneValueOf,
  optionalNames,
  otherThan,
  presetsOf,
  requiredOnly,
  withValues,
} from '../test-data/full-body.ts'
import { withOtherValues } from '../test-data/unguessable.ts'
import { saysOfOthers } from './action-effects.ts'
import { isOnRecord } from './actions.ts'
import { type Changed, changedValueProbes, isPartial } from './changed-values.ts'
import { choiceChecks, choiceSteps } from './choices.ts'
import { ORDER, type Probe } from './probe.ts'
import {
  absentRemovalProbe,
  goneActionProbe,
  goneProbe,
  newIdProbe,
  removalProbe,
} from './removals.ts'
import {
  creation,
  fullCreation,
  idOfCreated,
  listBeside,
  NOT_REACHED,
  onCreated,
  storyOf,
  twoRecords,
} from './steps.ts'

/**
 * What happens to a record when another one is created, changed or removed: nothing. And what is left of a removed one: nothing. Each
 * story creates two records.
 */
export function siblingProbes({ bindings, actions }: BoundResource, texts: DocumentTexts): Probe[] {
  const { create, list, read, remove } = bindings
  if (!create) return []
  const onItem = (binding: ResourceBinding | undefined): ResourceBinding | undefined =>
    binding && isOnItem(create, binding) ? binding : undefined
  const reads = onItem(read)
  const removes = onItem(remove)
  const lists = list && isOnCollection(list.operation, create.operation) ? list : undefined
  const changes = [onItem(bindings.update), onItem(bindings.replace)].flatMap((one) => one ?? [])

  return [
    ...(reads ? [readProbe(create, reads)] : []),
    ...(reads
      ? changes.flatMap((change) => [
          changeProbe({ create, change, read: reads }, lists, texts),
          neighboursProbe(create, change, reads),
          ...formsProbe(create, change, reads),
          ...changedValueProbes({ create, change, read: reads }, texts),
          ...replacingProbe(create, change, reads),
        ])
      : []),
    ...(removes
      ? [removalProbe(create, removes, reads, lists, texts), ...newIdProbe(create, removes, texts)]
      : []),
    ...(removes && !reads ? absentRemovalProbe(create, removes) : []),
    ...(removes && reads
      ? [
          ...changes.flatMap((change) => goneProbe(create, removes, reads, change)),
          ...actions
            .filter((one) => isOnRecord(one, create))
            .flatMap((action) => goneActionProbe(create, removes, reads, action)),
        ]
      : []),
  ]
}

function readProbe(create: ResourceBinding, read: ResourceBinding): Probe {
  const check = operationCheck(
    read.operation,
    'each',
    'returns the record whose id is in the path',
    ([first, second, found]) => {
      if (!first || !second || !found || !isSuccess(found)) return NOT_REACHED
      const id = idOfCreated(second, create)
      const shown = idIn(recordIn(found, read), read)
      if (shown !== undefined && shown !== id) return failure(found, `the id ${id}`)
      return shows(found, read, confirmed(second, create), 'as the record was created')
    },
  )
  return storyOf(ORDER.create + 0.5, [...twoRecords(create), onCreated(read, create, 1)], [check])
}

/** One value of a record is changed: its other values and the other record stay. */
function changeProbe(
  { create, change, read }: Changed,
  list: ResourceBinding | undefined,
  texts: DocumentTexts,
): Probe {
  const { operation } = change
  const isPart = isPartial(change)
  const others = otherRecordCheck({ create, change, read }, texts)
  const kept = operationCheck(
    operation,
    'kept',
    'keeps the values that a request does not name',
    ([first, , changed, found]) => {
      if (!first || !changed || !found || !isSuccess(changed) || !isSuccess(found))
        return NOT_REACHED
      const sent = sentRecord(changed, change)
      const values = confirmed(first, create).filter(([name]) => !(isObject(sent) && name in sent))
      if (values.length === 0) return { leftOut: 'the record has no other values' }
      return shows(found, read, values, 'which the request did not name')
    },
  )
  const accepted = operationCheck(
    operation,
    'part',
    'accepts a change of one property',
    // The service may have rules for the values: it accepts them together.
    ([, , changed, , again]) =>
      changed && again && isSuccess(again)
        ? passIf(!isInvalidInput(changed), changed, '2xx, because nothing else is required')
        : NOT_REACHED,
  )
  const all = onCreated(change, create, 0, (one) => withValues(one, change, fullValues(change)))
  // What a new record may lack is what a change may reset.
  const one = onCreated(change, create, 0, (request) =>
    oneValueOf(request, change, optionalNames(create)),
  )
  const steps = [
    // A change that sets what it does not name to its default shows in other values only.
    fullCreation(create, {
      ...fullValues(create),
      ...nullableValues(create),
      ...otherThan(presetsOf(create), create),
    }),
    creation(create, (request) => withOtherValues(request, create), 0),
    isPart ? one : all,
    onCreated(read, create, 0),
    all,
    onCreated(read, create, 1),
    ...(list ? [listBeside(list, 0)] : []),
    ...choiceSteps(create, change, read),
  ]
  const listed = list ? [listedCheck(create, change, list)] : []
  const checks = [others, ...(isPart ? [kept, accepted] : [])]
  const chosen = choiceChecks({ create, change, read }, texts)
  return storyOf(ORDER.change + 0.5, steps, [...checks, ...listed, ...chosen])
}

/** A change of a record that was created between two others changes neither of them. */
function neighboursProbe(
  create: ResourceBinding,
  change: ResourceBinding,
  read: ResourceBinding,
): Probe {
  const name = 'changes neither the record before nor the one after it'
  const check = operationCheck(change.operation, 'neighbours', name, (all) => {
    const [first, , third, changed, ...found] = all
    if (!first || !third || !changed || !isSuccess(changed) || found.length < 2) return NOT_REACHED
    const [before = 'passed', after = 'passed'] = [first, third].map((one, at) => {
      const shown = found[at]
      return shown && isSuccess(shown)
        ? shows(shown, read, confirmed(one, create), 'as the record was created')
        : NOT_REACHED
    })
    return before === 'passed' ? after : before
  })
  const beside = creation(create, (request) => withOtherValues(request, create), 0)
  const steps = [
    creation(create),
    beside,
    beside,
    onCreated(change, create, 1, (one) => withValues(one, change, fullValues(change))),
    onCreated(read, create, 0),
    onCreated(read, create, 2),
  ]
  return storyOf(ORDER.change + 0.55, steps, [check])
}

/** Days, addresses and texts of a form, which a service may refuse and so have a record of their own, stay when a change does not name them. */
function formsProbe(
  create: ResourceBinding,
  change: ResourceBinding,
  read: ResourceBinding,
): Probe[] {
  const values = formattedValues(create)
  if (!isPartial(change) || Object.keys(values).length === 0) return []
  const shown = propertiesOf(read.resource.schema)
  const name = 'keeps the days, addresses and texts of a form that a request does not name'
  const check = operationCheck(change.operation, 'kept/forms', name, ([first, changed, found]) => {
    if (!first || !changed || !found || !isSuccess(changed) || !isSuccess(found)) return NOT_REACHED
    const [given, before] = [sentRecord(first, create), valuesIn(recordIn(first, create))]
    const [sent, after] = [sentRecord(changed, change), valuesIn(recordIn(found, read))]
    if (!isObject(given) || !isObject(before) || !isObject(sent) || !isObject(after))
      return NOT_REACHED
    const lost = Object.keys(values).find((one) => {
      const isStored = given[one] !== undefined && (before[one] ?? undefined) !== undefined
      return isStored && !(one in sent) && shown.has(one) && after[one] !== before[one]
    })
    const value = lost === undefined ? undefined : JSON.stringify(before[lost])
    return passIf(lost === undefined, found, `"${lost}": ${value}, which the request did not name`)
  })
  const steps = [
    creation(create, (request) => withValues(request, create, values)),
    onCreated(change, create, 0, (request) => oneValueOf(request, change, optionalNames(create))),
    onCreated(read, create, 0),
  ]
  return [storyOf(ORDER.change + 0.6, steps, [check])]
}

/** The second of two records is as it was created after changes of the first one. */
function otherRecordCheck(
  { create, change, read }: Changed,
  texts: DocumentTexts,
): CheckDefinition {
  const isAlone = !saysOfOthers(texts.operation(change.operation.id))
  return operationCheck(
    change.operation,
    'others',
    'changes no other record',
    ([, second, changed, , again, other]) => {
      if (!second || !changed || !other) return NOT_REACHED
      const done = [changed, again].filter((one) => one !== undefined && isSuccess(one))
      if (done.length === 0) return NOT_REACHED
      const same = shows(other, read, confirmed(second, create), 'as the other record was created')
      if (same !== 'passed') return same
      const kept = keepsOther(second, done, other, { create, change, read })
      return kept === 'passed' && isAlone
        ? keepsState(second, done, other, { create, change, read })
        : kept
    },
  )
}

/** A record has no state into which a change has brought another one, also where the change has another name for it. */
function keepsState(
  created: ProbeResponse,
  changes: readonly (ProbeResponse | undefined)[],
  found: ProbeResponse,
  { create, change, read }: Changed,
): Evaluation {
  const [before, after] = [valuesIn(recordIn(created, create)), valuesIn(recordIn(found, read))]
  if (!isObject(before) || !isObject(after)) return 'passed'
  const shown = changes.map((one) => one && valuesIn(recordIn(one, change)))
  const name = [...propertiesOf(read.resource.schema)].find(
    ([key, schema]) =>
      membersOf(key, schema).length > 0 &&
      isPlain(before[key]) &&
      before[key] !== after[key] &&
      shown.some((one) => isObject(one) && one[key] === after[key]),
  )?.[0]
  if (name === undefined) return 'passed'
  const [kept, received] = [before[name], after[name]].map((one) => JSON.stringify(one))
  return failure(found, `"${name}": ${kept}, as the other record was created`, `${received}`)
}

/** A record has no value of a change of another one that it did not have when it was created, whatever the form of the value. */
function keepsOther(
  created: ProbeResponse,
  changes: readonly (ProbeResponse | undefined)[],
  found: ProbeResponse,
  { create, change, read }: Changed,
): Evaluation {
  const [before, after] = [valuesIn(recordIn(created, create)), valuesIn(recordIn(found, read))]
  if (!isObject(before) || !isObject(after)) return 'passed'
  for (const one of changes) {
    const sent = one && sentRecord(one, change)
    const [name, value] =
      Object.entries(isObject(sent) ? sent : {}).find(
        ([key, given]) =>
          isPlain(given) &&
          (isPlain(before[key]) || before[key] === null) &&
          before[key] !== given &&
          after[key] === given,
      ) ?? []
    if (name === undefined) continue
    const [kept, received] = [before[name], value].map((each) => JSON.stringify(each))
    return failure(found, `"${name}": ${kept}, as the other record was created`, `${received}`)
  }
  return 'passed'
}

/** A list shows a changed record once, and as it is now. */
function listedCheck(
  create: ResourceBinding,
  change: ResourceBinding,
  list: ResourceBinding,
): CheckDefinition {
  const { id } = change.operation
  const name = `lists the record that ${id} changed once, and as it is now`
  return operationCheck(list.operation, `after/${id}`, name, ([first, , , , changed, , listed]) => {
    if (!first || !changed || !listed || !isSuccess(changed) || !isSuccess(listed))
      return NOT_REACHED
    const own = idOfCreated(first, create)
    const same = recordsAt(listed, list)?.filter((one) => idIn(one, list) === own) ?? []
    if (own === undefined || same.length === 0) return { leftOut: 'the record is on no page' }
    if (same.length > 1) return failure(listed, `one record with the id ${own}`, `${same.length}`)
    const record = valuesIn(same[0])
    const before = new Map(confirmed(first, create))
    // A list may show a value in its own way, but not as it was.
    const stale = confirmed(changed, change).find(
      ([field, value]) =>
        isPlain(value) &&
        isObject(record) &&
        record[field] === before.get(field) &&
        record[field] !== value,
    )
    const [field, value] = stale ?? []
    return passIf(!stale, listed, `"${field}": ${JSON.stringify(value)}, as it was changed`)
  })
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/**
 * PUT with only what the document requires: what a record had besides is gone (RFC 9110, section 9.3.4). Many services keep it all the
 * same, so that it is a decision where the name of the operation does not say that it replaces.
 */
function replacingProbe(
  create: ResourceBinding,
  change: ResourceBinding,
  read: ResourceBinding,
): Probe[] {
  const { operation } = change
  if (operation.method !== 'PUT' || change === create) return []
  const presets = presetsOf(change)
  const written = propertiesOf(schemaAt(operation.body?.schema ?? {}, sentPlace(change)) ?? {})
  const forms = formattedValues(create)
  const saysReplace = /replac|overwrit/i.test(`${operation.id} ${operation.summary ?? ''}`)
  const check = operationCheck(
    operation,
    'replaced',
    'removes the values that a request does not name',
    ([first, , changed, found]) => {
      if (!first || !changed || !found || !isSuccess(changed) || !isSuccess(found))
        return NOT_REACHED
      const sent = sentRecord(changed, change)
      // Only values that no default of the service can be.
      const [given, shown] = [sentRecord(first, create), valuesIn(recordIn(first, create))]
      const values = Object.entries(isObject(given) ? given : {}).filter(
        ([name, value]) =>
          (isOfRun(value) || value === forms[name]) &&
          written.has(name) &&
          !(isObject(sent) && name in sent) &&
          isObject(shown) &&
          JSON.stringify(shown[name]) === JSON.stringify(value),
      )
      const record = valuesIn(recordIn(found, read))
      const other = presets.find(
        ([name, value]) =>
          isObject(record) &&
          Object.hasOwn(record, name) &&
          !areEqual(record[name], value) &&
          !(isObject(sent) && name in sent),
      )
      if (other) return failure(found, `"${other[0]}": ${JSON.stringify(other[1])}, the default`)
      if (values.length === 0 && presets.length === 0)
        return { leftOut: 'the record has no other values' }
      const [kept] =
        values.find(
          ([name, value]) =>
            isObject(record) && JSON.stringify(record[name]) === JSON.stringify(value),
        ) ?? []
      return passIf(kept === undefined, found, `no "${kept}", which the request did not name`)
    },
    { clause: 'RFC 9110, section 9.3.4', ...(!saysReplace && { decision: true }) },
  )
  const steps = [
    fullCreation(create, { ...fullValues(create), ...forms, ...otherThan(presets, create) }),
    onCreated(read, create, 0),
    onCreated(change, create, 0, (one) => requiredOnly(one, change)),
    onCreated(read, create, 0),
  ]
  return [storyOf(ORDER.change + 0.65, steps, [check])]
}

/** Whether a value has words that no service has as a default. */
function isOfRun(value: unknown): boolean {
  return /verify-\w/.test(JSON.stringify(value) ?? '')
}
