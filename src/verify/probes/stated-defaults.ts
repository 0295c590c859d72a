import type { Contract, Operation } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, requiredNames, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { boundTo, plainName, recordIn, sentPlace, valueAt, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { sentencesOf } from '../session/stated-rules.ts'
import { creationRequest, validRequest } from '../session/valid-request.ts'
import { requiredOnly } from '../test-data/full-body.ts'
import { takesJson } from '../test-data/sample-body.ts'
import { keyword } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { NOT_REACHED } from './steps.ts'

/** A property of the settings, and the operations that read and change them. */
interface SettingProperty {
  readonly name: string
  readonly read: ResourceBinding
  readonly change: ResourceBinding | undefined
}

/**
 * Defaults that the document takes from the settings in words, as in "Without it, the `default_currency` of the settings": a new record
 * without the property has what the settings say. Where the run may change the settings, they have another value before.
 */
export function statedDefaultProbes(
  { bindings: { create } }: BoundResource,
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  if (create?.operation.method !== 'POST' || !create.operation.body) return []
  if (!takesJson(create.operation.body)) return []
  const sent = schemaAt(create.operation.body.schema, sentPlace(create)) ?? {}
  const required = requiredNames(sent)
  const settings = settingsOf(contract)
  return [...propertiesOf(sent).keys()].flatMap((name) => {
    const about = sentencesOf(texts.property(create.operation.id, name))
    const source = settings.find((one) => about.some((sentence) => takesFrom(sentence, one)))
    return source && !required.has(name) ? [defaultProbe(create, name, source)] : []
  })
}

/** "The default is the `defaultCurrency` of the settings". */
function takesFrom(sentence: string, { name }: SettingProperty): boolean {
  const [, said = ''] = /\b(\w+) of the settings\b/i.exec(sentence) ?? []
  return (
    plainName(said) === plainName(name) &&
    /\b(default|without|not given|left out)\b/i.test(sentence)
  )
}

/** What exists once at a path without parameters. */
function settingsOf(contract: Contract): readonly SettingProperty[] {
  const isSettings = ({ path }: Operation): boolean =>
    /settings?\/?$/i.test(path) && !path.includes('{')
  const bindings = contract.operations
    .filter(isSettings)
    .flatMap((one) => boundTo(contract, one) ?? [])
  return bindings
    .filter(({ operation }) => operation.method === 'GET')
    .flatMap((read) => {
      const change = bindings.find(
        ({ operation }) => operation.method === 'PATCH' && operation.path === read.operation.path,
      )
      return [...propertiesOf(read.resource.schema).keys()].map((name) => ({ name, read, change }))
    })
}

function defaultProbe(create: ResourceBinding, name: string, source: SettingProperty): Probe {
  const { read, change } = source
  const text = `takes ${name} of a new record without it from ${source.name} of the settings`
  const check = operationCheck(create.operation, `defaults/${name}`, text, (responses) => {
    const created = responses.at(-1)
    const settings = responses.findLast(({ request }) => request.operation === read.operation)
    if (!created || !settings || created.request.operation !== create.operation) return NOT_REACHED
    if (![created, settings].every(isSuccess)) return NOT_REACHED
    const record = valuesIn(recordIn(created, create))
    const values = valuesIn(recordIn(settings, read))
    const sent = valueAt(parseJsonText(created.request.body ?? ''), sentPlace(create))
    if (!isObject(record) || !isObject(values) || !isObject(sent)) return NOT_REACHED
    const expected = values[source.name]
    if (name in sent || !(name in record) || expected === undefined) return NOT_REACHED
    return passIf(record[name] === expected, created, `"${name}": ${JSON.stringify(expected)}`)
  })
  return {
    order: ORDER.createComplete + 0.7,
    maxRequests: 5,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const reading = async (): Promise<ProbeResponse> =>
        await session.send({ ...(await validRequest(read.operation, session)), isValid: true })
      const first = await reading()
      const changed = change && (await changedSettings(session, first, source, change))
      const settings = changed ? [first, changed, await reading()] : [first]
      const request = await creationRequest(create.operation, session)
      const own = requiredOnly(request, create)
      return [...settings, await session.send({ ...own, isValid: true })]
    },
  }
}

/** The settings with another value; `undefined` where the run may not change them. */
async function changedSettings(
  session: Session,
  first: ProbeResponse,
  { name, read }: SettingProperty,
  change: ResourceBinding,
): Promise<ProbeResponse | undefined> {
  const values = isSuccess(first) ? valuesIn(recordIn(first, read)) : undefined
  const { body } = change.operation
  const place = sentPlace(change)
  const schema = body && propertiesOf(schemaAt(body.schema, place) ?? {}).get(name)
  if (!schema || !isObject(values)) return undefined
  const other = otherValue(schema, values[name])
  if (other === undefined) return undefined
  try {
    const request: ProbeRequest = await validRequest(change.operation, session)
    const changed = withValueAt(parseJsonText(request.body ?? ''), parsePointer(place), {
      [name]: other,
    } satisfies JsonObject)
    if (!body?.validate(changed)) return undefined
    return await session.send({ ...request, body: JSON.stringify(changed), isValid: true })
  } catch (error) {
    if (!(error instanceof NotSent)) throw error
    return undefined
  }
}

function otherValue(schema: Parameters<typeof surelyMatches>[0], value: unknown): unknown {
  const members = keyword(schema, 'enum') ?? []
  const numbers = typeof value === 'number' ? [value + 1, value - 1] : []
  const { value: made, isValid } = generateValue(
    { schema, seed: 'verify', now: 0 },
    { hasExamples: false },
  )
  // The first one may be what a service takes without settings.
  return [...[...members].reverse(), ...numbers, ...(isValid ? [made] : [])].find(
    (one) => one !== value && typeof one === typeof value && surelyMatches(schema, one),
  )
}
