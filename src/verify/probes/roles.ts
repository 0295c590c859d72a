import type { Contract, Operation } from '../../contract/contract.ts'
import { isCheckable } from '../../contract/credentials.ts'
import { parseJsonText } from '../../contract/json.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'
import { listedValues, parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, type LeftOut, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  createdId,
  hasWholeParameters,
  itemTarget,
  recordsAt,
  recordTemplate,
  segmentsOf,
  sentPlace,
  valueAt,
  valuesIn,
  withPath,
} from '../record-address.ts'
import type { Session } from '../session/session.ts'
import { roleOf } from '../session/stated-owners.ts'
import { hasWords, sentencesOf } from '../session/stated-rules.ts'
import { validRequest } from '../session/valid-request.ts'
import { fullValues, withValues } from '../test-data/full-body.ts'
import { OTHER_ERROR } from './other-key.ts'
import { ORDER, type Probe } from './probe.ts'
import { inLongestPage } from './steps.ts'

/** The most operations of a role that are tried. */
const MAX_OPERATIONS = 12

const CLAUSE = { clause: 'OWASP API Security 2023, API5' }

const HAS_ROLE: LeftOut = { leftOut: 'no other operation for the role refuses the other key' }

/**
 * Operations that are for callers in a role, as in "For managers.": where one of them refuses the other key with a 403, so do the others,
 * also for what this key has created. A 401 would say that the service does not know the key.
 */
export function roleProbes(contract: Contract, texts: DocumentTexts): Probe[] {
  const byRole = new Map<string, Operation[]>()
  for (const one of contract.operations) {
    const role = isCheckable(one, contract) && hasWholeParameters(one) && roleOf(one, texts)
    if (role) byRole.set(role, [...(byRole.get(role) ?? []), one])
  }
  return [
    ...[...byRole].flatMap(([role, all]) =>
      all.length > 1 || refusesRoles(contract, texts, all) ? [roleProbe(role, all, texts)] : [],
    ),
    ...contract.operations
      .filter((one) => isCheckable(one, contract) && hasWholeParameters(one))
      .flatMap((one) => [...allowedProbe(one, texts), ...sentProbes(one, contract, texts)]),
    ...contract.operations
      .filter((one) => isCheckable(one, contract) && one.method === 'GET')
      .flatMap((one) => hiddenProbes(one, contract, texts)),
  ]
}

const ROLE = /\broles?\b/i

/** Whether other operations have a 403 that is described as that of a role. */
function refusesRoles(
  { operations }: Contract,
  texts: DocumentTexts,
  besides: readonly Operation[],
): boolean {
  return operations.some((one) => !besides.includes(one) && isForRoles(one, texts))
}

function isForRoles({ id, responses }: Operation, texts: DocumentTexts): boolean {
  return responses.some(({ status }) => status === 403) && ROLE.test(texts.anyResponse(id, 403))
}

/** Whether the service has refused the other key because of its role, and not because of what it wanted to change. */
function isRefusedRole(
  { request: { operation, credentials }, status }: ProbeResponse,
  texts: DocumentTexts,
): boolean {
  return (
    credentials === 'other-key' &&
    status === 403 &&
    operation !== undefined &&
    isForRoles(operation, texts)
  )
}

/** What says that an operation is for all roles: "Both roles may do this", "Any key may record an attendance". */
const FOR_ALL =
  /\b(both|all|any|every|either|each) (of the )?(roles?|keys?)\b(?!.*\b(except|but|not)\b).*\b(may|can|are allowed|is allowed)\b|\b(allowed|open|possible) (to|for|with) (both|all|any|every|either) (roles?|keys?)\b/i

/** An operation that is for all roles does not refuse the other key on a record of the run. */
function allowedProbe(operation: Operation, texts: DocumentTexts): Probe[] {
  const { id, responses } = operation
  const sentence = sentencesOf(texts.operation(id)).find((one) => FOR_ALL.test(one))
  if (sentence === undefined || responses.some(({ status }) => status === 403)) return []
  if (!ROLE.test(texts.api) || operation.method === 'DELETE') return []
  const name = 'is allowed for another key, as the description says'
  const check = operationCheck(
    operation,
    'other-key-allowed',
    name,
    ([response]) =>
      response && ![401, 404, 409].includes(response.status)
        ? passIf(response.status !== 403, response, `no 403: "${sentence.trim()}"`)
        : OTHER_ERROR,
    CLAUSE,
  )
  return [
    {
      order: ORDER.otherKey + 0.3,
      maxRequests: 3,
      requires: 'writes',
      checks: [check],
      send: async (session) => {
        const request = await validRequest(operation, session, 'other-key')
        return [await session.send(request)]
      },
    },
  ]
}

/** What says that only a role may send a property: "Only an admin may send `tier` (403 for a clerk)". */
const SENT_BY =
  /\bonly (?:an? |the )?([a-z]{4,}?)s? (?:may|can) (?:send|set|give|pass|choose|change) (\w+)\b(?= *(?:[.;,(]|$))/i

/** The other key may send all that a change or a creation requires, and not the property that is for a role, on a record of the run. */
function sentProbes(operation: Operation, contract: Contract, texts: DocumentTexts): Probe[] {
  const binding = boundTo(contract, operation)
  const isRefused = operation.responses.some(({ status }) => status === 403)
  if (!binding || !isRefused || !/^(POST|PATCH)$/.test(operation.method)) return []
  const found = sentencesOf(texts.operation(operation.id)).flatMap((one) => {
    const [, role = '', name = ''] = SENT_BY.exec(one.replaceAll('*', '')) ?? []
    const schema = schemaAt(operation.body?.schema ?? {}, sentPlace(binding))
    const listed = listedValues(propertiesOf(schema ?? {}).get(name) ?? {})
    const value = listed.at(-1) ?? fullValues(binding)[name]
    return value !== undefined && hasWords(texts.api, role, 's?')
      ? [{ role, values: { [name]: value } }]
      : []
  })
  return found.slice(0, 1).map(({ role, values }) => {
    const [name = ''] = Object.keys(values)
    const check = operationCheck(
      operation,
      `other-key-role/sent/${name}`,
      `refuses ${name} from a key that does not have the role ${role}`,
      ([plain, tried]) => {
        // A service that refuses the key anyway does not show that it refuses the property.
        if (!plain || !tried || !isSuccess(plain)) return OTHER_ERROR
        const isAnswer = isSuccess(tried) || tried.status === 403
        return isAnswer ? passIf(tried.status === 403, tried, '403') : OTHER_ERROR
      },
      CLAUSE,
    )
    return {
      order: ORDER.otherKeyRemoval + 0.3,
      maxRequests: 2,
      requires: 'writes',
      checks: [check],
      send: async (session) => {
        // Otherwise the other key may have the role.
        if (!session.responses.some((one) => isRefusedRole(one, texts))) return []
        const plain = await validRequest(operation, session, 'other-key')
        const first = await session.send(withoutValue(plain, binding, name))
        const next = await validRequest(operation, session, 'other-key')
        return [first, await session.send(withValues(next, binding, values))]
      },
    }
  })
}

/** A request without an optional property. */
function withoutValue(request: ProbeRequest, binding: ResourceBinding, name: string): ProbeRequest {
  const body = parseJsonText(request.body ?? '')
  const record = valueAt(body, sentPlace(binding))
  if (!isObject(record)) return request
  const { [name]: _, ...others } = record
  const next = withValueAt(body, parsePointer(sentPlace(binding)), others)
  return { ...request, body: JSON.stringify(next) }
}

/** What says that a property is for some roles only: "Always null for a singer", "For viewers `phone` is null", "viewers never see it". */
const HIDDEN_FOR: readonly RegExp[] = [
  /\bnull (?:for|to) (?:an? |the |all |every )?(?:role )?([a-z]{4,}?)s?(?: only)?(?=\W*$|[.,;])/i,
  /^for (?:an? |the |all |every )?(?:role )?([a-z]{4,}?)s?\b.*\b(?:is|are) (?:always )?null\b/i,
  /^(?:an? |the )?([a-z]{4,}?)s? (?:always )?(?:gets?|sees?|receives?) (?:[\w ]+ as )?null\b/i,
  /^(?:an? |the )?([a-z]{4,}?)s? (?:never|do not|does not|cannot) (?:sees?|gets?|receives?|reads?) (?:it|this|them)\b/i,
  /\bonly (?:present|shown|visible|included|returned) (?:in (?:answers|responses) )?(?:to|for) (?:an? |the )?([a-z]{4,}?)s?(?=\W*$|[.,;])/i,
]

/** The roles that the description of an API lists. */
const LISTED_ROLE = /(?:^|\n)\s*[*-]\s+[*_`]*([a-z]+)[*_`]*\s*:/gi

/** The properties of what an operation shows that are null for one of the two roles. */
function hiddenIn(
  { id }: Operation,
  names: readonly string[],
  texts: DocumentTexts,
): readonly (readonly [name: string, sentence: string])[] {
  const roles = [...texts.api.matchAll(LISTED_ROLE)].map(([, role = '']) => role.toLowerCase())
  if (!ROLE.test(texts.api) || roles.length > 2) return []
  const general = sentencesOf(texts.api.replaceAll('*', ''))
  const isRole = (one: string): boolean => {
    const role = HIDDEN_FOR.flatMap((form) => form.exec(one)?.[1] ?? []).at(0)
    return role !== undefined && hasWords(texts.api, role, 's?')
  }
  return names.flatMap((name) => {
    const own = sentencesOf(texts.property(id, name))
    const about = general.filter((one) => hasWords(one, name))
    const sentence = [...own, ...about].find((one) => isRole(one.trim()))
    return sentence === undefined ? [] : [[name, sentence] as const]
  })
}

const HAS_RIGHTS: LeftOut = { leftOut: 'no operation refuses the other key because of its role' }

/** What is null for a role is so for the other key, which the service has refused because of its role before. */
function hiddenProbes(operation: Operation, contract: Contract, texts: DocumentTexts): Probe[] {
  const binding = boundTo(contract, operation)
  if (binding?.action !== 'list') return []
  const names = [...propertiesOf(binding.resource.schema).keys()]
  const hidden = hiddenIn(operation, names, texts).slice(0, MAX_HIDDEN)
  return hidden.map(([name, sentence]) => {
    const showsIn = (response: ProbeResponse): boolean =>
      (recordsAt(response, binding) ?? []).some((one) => {
        const values = valuesIn(one)
        return isObject(values) && (values[name] ?? null) !== null
      })
    const state = { isKnown: false }
    const check = operationCheck(
      operation,
      `other-key-role/${name}`,
      `shows no ${name} to a key in the other role`,
      ([response]) => {
        if (!state.isKnown || !response) return HAS_RIGHTS
        if (!isSuccess(response)) return OTHER_ERROR
        return passIf(!showsIn(response), response, `"${name}": null: "${sentence.trim()}"`)
      },
      CLAUSE,
    )
    return {
      order: ORDER.otherKeyRemoval + 0.2,
      maxRequests: 1,
      requires: 'writes',
      checks: [check],
      send: async (session) => {
        const { responses } = session
        const isShown = responses.some(
          (one) =>
            one.request.operation === operation &&
            one.request.credentials === 'key' &&
            isSuccess(one) &&
            showsIn(one),
        )
        if (!isShown || !responses.some((one) => isRefusedRole(one, texts))) return []
        state.isKnown = true
        const request = await validRequest(operation, session, 'other-key')
        return [await session.send(inLongestPage(request, binding))]
      },
    }
  })
}

/** The most properties of a list that are tried with the other key. */
const MAX_HIDDEN = 3

function roleProbe(role: string, all: readonly Operation[], texts: DocumentTexts): Probe {
  const state = { isRefused: false }
  const tried = all.slice(0, MAX_OPERATIONS)
  return {
    order: ORDER.otherKeyRemoval + 0.1,
    maxRequests: 2 * tried.length,
    creations: tried.length,
    requires: 'writes',
    checks: tried.map((one) => roleCheck(role, one, tried, () => state.isRefused)),
    send: async (session) => {
      state.isRefused = session.responses.some((one) => isRefusedRole(one, texts))
      const responses: ProbeResponse[] = []
      for (const one of tried) {
        const done = await triedAsOther(one, all, session)
        const isHeld = one.method === 'DELETE' && done.at(-1)?.status === 409
        responses.push(...(isHeld ? await triedAsOther(one, all, session) : done))
      }
      return responses
    },
  }
}

function roleCheck(
  role: string,
  operation: Operation,
  all: readonly Operation[],
  isRefused: () => boolean,
): CheckDefinition {
  const name = `refuses a key that does not have the role ${role}`
  const others = all.filter((one) => one !== operation)
  return operationCheck(
    operation,
    'other-key-role',
    name,
    (responses) => {
      const to = (some: readonly Operation[]): readonly ProbeResponse[] =>
        responses.filter(({ request }) => request.operation && some.includes(request.operation))
      const response = to([operation]).at(-1)
      if (!response) return HAS_ROLE
      if (!isRefused() && to(others).every(({ status }) => status !== 403)) return HAS_ROLE
      const isAnswer = isSuccess(response) || [401, 403].includes(response.status)
      return isAnswer ? passIf(response.status === 403, response, '403') : OTHER_ERROR
    },
    CLAUSE,
  )
}

/** A request with the other key: for a record that it has created, where anybody may create one, else for one of the run. */
async function triedAsOther(
  operation: Operation,
  ofRole: readonly Operation[],
  session: Session,
): Promise<readonly ProbeResponse[]> {
  const responses: ProbeResponse[] = []
  try {
    const request = await validRequest(operation, session, 'other-key')
    const made = await createdByOther(operation, ofRole, session)
    if (made) responses.push(made)
    const target = made && isSuccess(made) ? targetOn(made, request, session) : request.target
    if (target === undefined) return responses
    // Only the role can be the reason for a refusal then.
    await session.states.prepare({ ...request, target })
    responses.push(await session.send({ ...request, target }))
  } catch (error) {
    if (!(error instanceof NotSent)) throw error
  }
  return responses
}

async function createdByOther(
  operation: Operation,
  ofRole: readonly Operation[],
  session: Session,
): Promise<ProbeResponse | undefined> {
  const { creations } = session.gate
  const template = recordTemplate(operation)
  const creation =
    template.length === 0 || creations.has(operation)
      ? undefined
      : creations.at(template, operation)
  if (creation?.method !== 'POST' || ofRole.includes(creation)) return undefined
  return await session.send(await validRequest(creation, session, 'other-key'))
}

/** The target of a request for the record that another one has created. */
function targetOn(
  made: ProbeResponse,
  { operation, target }: ProbeRequest,
  { contract }: Session,
): string | undefined {
  const create = made.request.operation && boundTo(contract, made.request.operation)
  const id = create && isSuccess(made) ? createdId(made, create) : undefined
  if (!operation || id === undefined) return undefined
  const template = recordTemplate(operation)
  const item = itemTarget(made, { path: `/${template.join('/')}` }, id)
  const words = segmentsOf(operation.path).slice(template.length)
  return withPath(target, [item, ...words.map(encodeLiteral)].join('/'))
}
