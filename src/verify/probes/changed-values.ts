import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { referenceName } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import { type Evaluation, failure, operationCheck, passIf } from '../checks/check.ts'
import { sentRecord, shows } from '../checks/shown-values.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  isId,
  isSameTemplate,
  lastOf,
  pathOf,
  recordIn,
  segmentsOf,
  valuesIn,
} from '../record-address.ts'
import { isInvalidInput } from '../session/accepted-bodies.ts'
import { validRequest } from '../session/valid-request.ts'
import { formattedValues, nullableValues } from '../test-data/formatted-values.ts'
import {
  blankValues,
  emptyTexts,
  emptyValues,
  fullValues,
  type GivenValues,
  largestValues,
  otherNumbers,
  recordSchema,
  requiredOnly,
  unusualValues,
  withValues,
} from '../test-data/full-body.ts'
import { keyword, typeOf } from '../test-data/values.ts'
import { ORDER, type Probe, requestTo } from './probe.ts'
import { fullCreation, NOT_REACHED, onCreated, type Step, storyOf } from './steps.ts'
import { showsExactly, statedExactValues } from './valid-bodies.ts'

/** The operations that create a record, change it and read it. */
export type Changed = Readonly<Record<'create' | 'change' | 'read', ResourceBinding>>

/** Changes to values that programs often lose or alter, and to none. */
export function changedValueProbes(bindings: Changed, texts: DocumentTexts): Probe[] {
  return [
    ...clearingProbe(bindings, texts),
    ...emptyTextProbe(bindings),
    ...falseProbe(bindings),
    ...valuesProbe(bindings),
    ...longestProbe(bindings),
    ...exactProbe(bindings, texts),
    ...blanksProbe(bindings),
    ...movedProbe(bindings),
  ]
}

/** A change to refer to another record of the run than before. Nothing is created for it. */
function movedProbe({ create, change, read }: Changed): Probe[] {
  const { operation } = change
  if (!isPartial(change) || create.operation.method !== 'POST') return []
  const references = [...propertiesOf(recordSchema(change))].filter(
    ([name, schema]) =>
      referenceName(name).hasIdSuffix &&
      propertiesOf(read.resource.schema).has(name) &&
      ['string', 'integer'].includes(typeOf(schema) ?? ''),
  )
  return references.slice(0, MAX_MOVED).map(([name]) => {
    const check = operationCheck(
      operation,
      `moved/${name}`,
      `changes ${name}`,
      ([changed, found]) => {
        const sent = changed && sentRecord(changed, change)
        if (!changed || !found || !isSuccess(changed) || !isSuccess(found) || !isObject(sent))
          return NOT_REACHED
        const record = valuesIn(recordIn(found, read))
        if (!isObject(record) || !isId(record[name])) return NOT_REACHED
        const isMoved = String(record[name]) === String(sent[name])
        return passIf(isMoved, found, `"${name}": ${JSON.stringify(sent[name])}, as it was sent`)
      },
    )
    return {
      order: ORDER.change + 0.95,
      maxRequests: 2,
      requires: 'writes',
      checks: [check],
      send: async (session) => {
        const request = await validRequest(operation, session)
        const target = pathOf(request.target)
        const path = ['', ...segmentsOf(target)]
        const own = session.gate.own.newestFirst
        const beside = own.filter((one) => isSameTemplate(one.slice(1, -1), path.slice(1, -1)))
        const shown = beside.flatMap((one) => {
          const record = session.ids.recordAt(`/${one.slice(1).join('/')}`)
          return record && isId(record[name]) ? [record[name]] : []
        })
        const current = session.ids.recordAt(target)?.[name]
        const next = shown.find(
          (one) => one !== current && own.some((at) => lastOf(at.join('/')) === String(one)),
        )
        if (!isId(current) || next === undefined) return []
        const moved = requiredOnly(request, change, { [name]: next })
        if (moved === request) return []
        const changed = await session.send({ ...moved, keepsReferences: true, keepsRefusal: true })
        return [changed, await session.send(requestTo(read.operation, { target }))]
      },
    }
  })
}

/** The most references of a record that are changed. */
const MAX_MOVED = 1

/** Whether a change is for the properties that it names: PATCH, and POST to the path of a record. */
export function isPartial({ action, operation }: ResourceBinding): boolean {
  return action === 'update' && operation.method !== 'PUT'
}

/** A change to no value: null, and a list without items. */
function clearingProbe({ create, change, read }: Changed, texts: DocumentTexts): Probe[] {
  const all = emptyValues(change)
  // PUT with an empty list says nothing that PUT without it would not say.
  const values = isPartial(change)
    ? all
    : Object.fromEntries(Object.entries(all).filter(([, value]) => value === null))
  if (Object.keys(values).length === 0 || change === create) return []
  const name = 'removes the values that a request sets to null, and the items of lists'
  const check = operationCheck(change.operation, 'cleared', name, (responses) => {
    const [, changed, found, ...alone] = responses
    if (!changed || !found) return NOT_REACHED
    if (isInvalidInput(changed) && !isPartial(change))
      return failure(changed, '2xx, because the document allows null')
    const refused = isInvalidInput(changed) ? alone.find(isInvalidInput) : undefined
    if (refused) return failure(refused, '2xx, because the document allows null')
    if (!isSuccess(changed) || !isSuccess(found)) return NOT_REACHED
    const sent = sentRecord(changed, change)
    const names = Object.keys(values).filter(
      (one) => isObject(sent) && JSON.stringify(sent[one]) === JSON.stringify(values[one]),
    )
    return shows(
      found,
      read,
      names.map((one) => [one, values[one]]),
      'as the change says',
    )
  })
  const steps = [
    fullCreation(create, { ...fullValues(create), ...nullableValues(create) }),
    onCreated(change, create, 0, (one) => {
      // PUT has a name, too, which has to be its own.
      if (isPartial(change)) return requiredOnly(one, change, values)
      return withValues(withValues(one, change, fullValues(change)), change, values)
    }),
    onCreated(read, create, 0),
    ...nullSteps(create, change, values, texts),
  ]
  return [storyOf(ORDER.change + 0.6, steps, [check])]
}

/** A change to an empty text. A service may take it for no value, but not for no change. */
function emptyTextProbe({ create, change, read }: Changed): Probe[] {
  const [[name, empty] = []] = Object.entries(emptyTexts(change))
  if (name === undefined || !isPartial(change)) return []
  const text = `empties ${name}`
  const check = operationCheck(change.operation, 'emptied', text, ([created, changed, found]) => {
    if (!created || !changed || !found || !isSuccess(changed)) return NOT_REACHED
    const [before, after] = [recordIn(created, create), recordIn(found, read)].map(valuesIn)
    if (!isObject(before) || !isObject(after) || !before[name]) return NOT_REACHED
    return passIf(after[name] !== before[name], found, `"${name}": ""`)
  })
  const steps = [
    fullCreation(create),
    onCreated(change, create, 0, (one) => requiredOnly(one, change, { [name]: empty })),
    onCreated(read, create, 0),
  ]
  return [storyOf(ORDER.change + 0.65, steps, [check])]
}

/** A change to zero and false, which programs take for no value by mistake, and to another list, which they may add to the old one. */
function falseProbe({ create, change, read }: Changed): Probe[] {
  const zeros = Object.entries(unusualValues(change)).filter(
    ([, value]) => value === 0 || value === false,
  )
  // A list with fewer items replaces the one that the record has.
  const lists = Object.entries(fullValues(change)).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 1 ? [[name, value.slice(0, 1)] as const] : [],
  )
  const values = Object.fromEntries([...zeros, ...lists])
  if (Object.keys(values).length === 0) return []
  return [changedToProbe('zeros', values, { create, change, read })]
}

/**
 * A change to other numbers, days, addresses, and texts of several scripts: a service may show them in its response and not keep them, or check and
 * store them otherwise than in a new record. When it refuses them together, only the numbers.
 */
function valuesProbe(bindings: Changed): Probe[] {
  const { change } = bindings
  const numbers = otherNumbers(change)
  const texts = Object.entries(unusualValues(change)).filter(([, one]) => typeof one === 'string')
  const values = { ...Object.fromEntries(texts), ...formattedValues(change), ...numbers }
  if (Object.keys(values).length === 0) return []
  return [changedToProbe('numbers', values, bindings, numbers)]
}

/** A change to the longest texts and the largest numbers: a service may check or cut them otherwise than those of a new record. */
function longestProbe(bindings: Changed): Probe[] {
  const values = Object.fromEntries(
    Object.entries(largestValues(bindings.change)).filter(
      ([name, value]) => typeof value === 'number' || !isListed(bindings.change, name),
    ),
  )
  const texts = Object.entries(values).filter(([, one]) => typeof one === 'string')
  return Object.keys(values).length === 0
    ? []
    : [changedToProbe('largest', values, bindings, Object.fromEntries(texts))]
}

/** Whether a property has one of some values only, of which the last one may be that of a state. */
function isListed(binding: ResourceBinding, name: string): boolean {
  const property = propertiesOf(recordSchema(binding)).get(name)
  return property !== undefined && keyword(property, 'enum') !== undefined
}

/** A change to values that the document says are kept as they are sent. */
function exactProbe(bindings: Changed, texts: DocumentTexts): Probe[] {
  const values = statedExactValues(bindings.change, texts)
  return Object.keys(values).length === 0 ? [] : [changedToProbe('exact', values, bindings)]
}

/** A change to texts with blanks at their ends and inside, which a service may refuse, but not alter. */
function blanksProbe(bindings: Changed): Probe[] {
  const values = blankValues(bindings.change)
  return Object.keys(values).length === 0 ? [] : [changedToProbe('blanks', values, bindings)]
}

/** A change of a record with values for all its properties to some others, and a read. `fewer` are sent when the service refuses these. */
function changedToProbe(
  id: string,
  values: GivenValues,
  { create, change, read }: Changed,
  fewer: GivenValues = {},
): Probe {
  const name = `changes ${Object.keys(values).join(', ')} to what is sent`
  const check = operationCheck(
    change.operation,
    id,
    name,
    ([, changed, found]) =>
      showsChange(
        [changed, found],
        [change, read],
        values,
        id === 'exact' ? showsExactly : showsAsSent,
      ),
    id === 'blanks' ? { cause: `values/${id}` } : {},
  )
  const changing = (to: GivenValues): Step =>
    onCreated(change, create, 0, (one) =>
      isPartial(change)
        ? requiredOnly(one, change, to)
        : withValues(withValues(one, change, fullValues(change)), change, to),
    )
  const otherwise = Object.keys(fewer).length > 0 ? { otherwise: changing(fewer) } : {}
  const steps = [
    fullCreation(create),
    Object.assign(changing(values), otherwise),
    onCreated(read, create, 0),
  ]
  return storyOf(ORDER.change + 0.66, steps, [check])
}

/** Whether a record has the values to which it was changed, and lists of their length. */
function showsChange(
  [changed, found]: readonly (ProbeResponse | undefined)[],
  [change, read]: readonly [ResourceBinding, ResourceBinding],
  values: GivenValues,
  compare: typeof showsExactly,
): Evaluation {
  const sent = changed && sentRecord(changed, change)
  if (!found || !changed || ![changed, found].every(isSuccess) || !isObject(sent))
    return NOT_REACHED
  const own = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(sent[name]) === JSON.stringify(value),
  )
  const record = valuesIn(recordIn(found, read))
  const longer = own.find(([name, value]) => {
    const shown = isObject(record) ? record[name] : undefined
    return Array.isArray(value) && Array.isArray(shown) && shown.length !== value.length
  })
  if (longer) return failure(found, `"${longer[0]}": ${JSON.stringify(longer[1])}`)
  return compare(found, read, own)
}

const showsAsSent: typeof showsExactly = (found, read, values) =>
  shows(found, read, values, 'as the change says')

/** The most properties that are set to null each in a request of its own. */
const MAX_ALONE = 4

/** Where a service refuses to clear several values together: null alone for each property of which the document says nothing else. */
function nullSteps(
  create: ResourceBinding,
  change: ResourceBinding,
  values: GivenValues,
  texts: DocumentTexts,
): readonly Step[] {
  const { id } = change.operation
  const isRuled = (name: string): boolean => {
    const sentences = texts
      .operation(id)
      .split(/[.;]\s/)
      .filter((one) => one.includes(name))
    return [texts.property(id, name), ...sentences].some((one) =>
      /\bnot\b.*\bnull\b|\bnull\b.*\bnot\b/i.test(one),
    )
  }
  const names = Object.keys(values).filter((one) => values[one] === null && !isRuled(one))
  return names.slice(0, MAX_ALONE).map((name): Step => {
    const alone = onCreated(change, create, 0, (one) => requiredOnly(one, change, { [name]: null }))
    return async (session, before) =>
      isPartial(change) && before[1] && isInvalidInput(before[1])
        ? await alone(session, before)
        : null
  })
}
