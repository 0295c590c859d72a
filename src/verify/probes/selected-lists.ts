import type { Parameter } from '../../contract/contract.ts'
import { itemsOf, propertiesOf } from '../../contract/schema.ts'
import { type DocumentTexts, NO_TEXTS } from '../../document/document-texts.ts'
import { EACH_NAME } from '../../inference/filters.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import { queryPairs, type TextPair } from '../../requests/serialize-parameter.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluation,
  failure,
  isResponseTo,
  type LeftOut,
  operationCheck,
  passIf,
  queryAccepted,
} from '../checks/check.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import { createdId, idIn, pathOf, recordsAt } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { ANY_CASE, hasWords, spaced } from '../session/stated-rules.ts'
import { unguessableWord, wordsOf } from '../test-data/unguessable.ts'
import { keyword, longestPage, parameterValues, typeOf } from '../test-data/values.ts'
import { hasTotal, statedTotal } from './next-page.ts'
import { listRequest } from './page-walks.ts'
import { ORDER, type Probe } from './probe.ts'
import { rangeFilterProbes } from './range-filters.ts'
import { inLongestPage } from './steps.ts'
import {
  combinedFilterProbes,
  equalFilters,
  listedForAll,
  listedValueProbes,
  valueIn,
} from './value-filters.ts'

/** The number of values of a filter or an order that are sent. */
const MAX_VALUES = 4

/** Lists that are filtered or sorted by a parameter. */
export function selectedListProbes(
  { bindings: { list } }: BoundResource,
  hasOwnFilters: boolean,
  texts: DocumentTexts,
): Probe[] {
  if (!list) return []
  return [
    ...(hasOwnFilters ? filteredTotalProbes(list) : []),
    ...filterProbes(list, hasOwnFilters),
    ...severalValueProbes(list),
    ...searchProbes(list, texts),
    ...rangeFilterProbes(list, texts),
    ...listedValueProbes(list, texts),
    ...combinedFilterProbes(list, texts),
    ...presetProbes(list),
    ...booleanProbes(list, texts),
    ...emptyValueProbes(list, texts),
  ]
}

/** Sends a list with parameters, and with the longest page. */
export function listProbe(
  list: ResourceBinding,
  queries: readonly (readonly TextPair[])[],
  checks: readonly CheckDefinition[],
): Probe {
  return {
    order: ORDER.pages - 0.4,
    maxRequests: queries.length,
    checks,
    send: async (session) => {
      const base = await listRequest(session, list)
      const responses: ProbeResponse[] = []
      for (const own of queries) {
        const query = [
          ...longestPage(list.operation).filter(([name]) => own.every(([one]) => one !== name)),
          ...own,
        ]
        const names = new Set(query.map(([name]) => name))
        const target = withQuery(base.target, (name) => names.has(name), query)
        responses.push(await session.send({ ...base, target, isValid: true }))
      }
      return responses
    },
  }
}

export const NOT_LISTED: LeftOut = { leftOut: 'the request for the list was refused' }
export const OTHER_PAGES: LeftOut = { leftOut: 'the list has more than one page' }

export function valuesOf(parameter: Parameter): readonly string[] {
  if (typeOf(parameter.schema) === 'boolean') return ['true', 'false']
  return keyword(parameter.schema, 'enum')
    ? parameterValues(parameter).valid.slice(0, MAX_VALUES)
    : []
}

/** With `hasOwnFilters`, those by the property with the name of the parameter are tested elsewhere. */
function filterProbes(list: ResourceBinding, hasOwnFilters: boolean): Probe[] {
  return equalFilters(list).flatMap(([parameter, property]) => {
    const { name } = parameter
    if (hasOwnFilters && name === property) return []
    return valuesOf(parameter).map((value) => {
      const what = `${name}=${value}`
      return listProbe(list, [[], [[name, value]]], filterChecks(list, property, value, what))
    })
  })
}

/** The most filters whose totals are compared with what they list. */
const MAX_TOTALS = 2

/** The number of records that match a filter. */
function filteredTotalProbes(list: ResourceBinding): Probe[] {
  if (!hasTotal(list)) return []
  const pairs = equalFilters(list).flatMap(([parameter]) =>
    valuesOf(parameter)
      .slice(0, 1)
      .map((value) => [parameter.name, value] as const),
  )
  return pairs.slice(0, MAX_TOTALS).map((pair) => {
    const what = pair.join('=')
    const text = `states the number of records that match ${what}`
    const check = operationCheck(list.operation, `${what}/total`, text, ([one]) =>
      totalOfFiltered(one, list),
    )
    return listProbe(list, [[pair]], [check])
  })
}

/** A filter by several values lists the records with any of them. */
function severalValueProbes(list: ResourceBinding): Probe[] {
  const { operation, hints } = list
  return Object.entries(hints.filters ?? {}).flatMap(([name, property]) => {
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name)
    const items = parameter && itemsOf(parameter.schema)
    const members = (items && keyword(items, 'enum')) ?? []
    const values = members.filter((one) => typeof one === 'string').slice(-2)
    if (!parameter || typeof property !== 'string' || values.length < 2) return []
    if (!parameter.validate(values)) return []
    const query = queryPairs(parameter, values).map((pair) => pair.map(decodeURIComponent))
    const pairs = query.map(([key = '', text = '']) => [key, text] as const)
    const hasOne = (record: unknown, value: unknown): boolean =>
      [valueIn(record, property)].flat().includes(value)
    const fits = (record: unknown): boolean => values.some((one) => hasOne(record, one))
    const what = `${name}=${values.join(',')}`
    const each = operationCheck(
      operation,
      `${what}/each`,
      `lists records with each of ${what}`,
      (all) => {
        const [known, listed] = all.map((one) =>
          isSuccess(one) ? recordsAt(one, list) : undefined,
        )
        const [, found] = all
        if (!known || !listed || !found || !isWhole(found, list)) return OTHER_PAGES
        const has = (records: readonly unknown[], value: unknown): boolean =>
          records.some((one) => hasOne(one, value))
        const lost = values.find((one) => has(known, one) && !has(listed, one))
        return passIf(lost === undefined, found, `records with ${lost}, too`)
      },
    )
    return [listProbe(list, [[], pairs], [...checksOfFilter(list, what, property, fits), each])]
  })
}

/** A search for a word that no record has. It must not list what a request without it lists. */
function searchProbes(list: ResourceBinding, texts: DocumentTexts): Probe[] {
  const { operation, hints } = list
  return Object.entries(hints.filters ?? {}).flatMap(([name, filter]) => {
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name)
    const isSearch = typeof filter === 'object' && filter.is === 'contains' && !filter.ignored
    const word = unguessableWord()
    if (!isSearch || typeOf(parameter?.schema ?? {}) !== 'string' || !parameter?.validate(word))
      return []
    const text = `lists nothing for a ${name} that no record has`
    const check = operationCheck(operation, `${name}=absent`, text, ([all, found]) => {
      const [known, listed] = [all, found].map(
        (one) => one && isSuccess(one) && recordsAt(one, list),
      )
      if (!(known && listed && found)) return NOT_LISTED
      if (known.length === 0) return { leftOut: 'no record is listed' }
      return passIf(listed.length === 0, found, 'no records', `${listed.length} records`)
    })
    const properties = [filter.property ?? []].flat()
    const isAnyCase = ANY_CASE.test(texts.parameter(operation.id, name))
    const ofAnyCase = isAnyCase ? [anyCaseProbe(list, name, properties)] : []
    // What a search finds for a word that no record has may depend on more than that.
    if (filter.unknown !== undefined) return ofAnyCase
    return [
      listProbe(list, [[], [[name, word]]], [check]),
      commonWordProbe(list, name),
      ...eachPropertyProbe(list, name, properties, texts),
      ...ofAnyCase,
    ]
  })
}

/** A search for a word that several texts of one record have. It is listed once. */
function commonWordProbe(list: ResourceBinding, name: string): Probe {
  const { operation } = list
  const text = `lists each record once for a ${name} that several of its texts have`
  const check = operationCheck(operation, `${name}/once`, text, ([, found]) => {
    const ids = idsIn(found, list)
    if (!found || !ids) return NOT_LISTED
    const again = ids.find((id, at) => ids.indexOf(id) !== at)
    return passIf(again === undefined, found, 'each record once', `${again} again`)
  })
  return {
    order: ORDER.pages - 0.35,
    maxRequests: 2,
    checks: [check],
    send: async (session) => {
      const base = await listRequest(session, list)
      const all = await session.send(base)
      const records = isSuccess(all) ? (recordsAt(all, list) ?? []) : []
      const word = records.map(commonWord).find((one) => one !== undefined)
      if (word === undefined) return [all]
      const target = withQuery(base.target, (one) => one === name, [[name, word]])
      return [all, await session.send({ ...base, target, isValid: true })]
    },
  }
}

/** A search finds a record by a word of each property that the description of the parameter names. */
function eachPropertyProbe(
  list: ResourceBinding,
  name: string,
  properties: readonly string[],
  texts: DocumentTexts,
): Probe[] {
  const { operation } = list
  const text = spaced(texts.parameter(operation.id, name))
  const said = text.replace(EACH_NAME, '$1 $4 $2 $3 $4')
  const named = properties.filter((one) => hasWords(said, spaced(one)))
  if (named.length < 2) return []
  const does = `finds a record by a word of ${named.join(' and ')}`
  const check = operationCheck(operation, `${name}/each`, does, ([all, ...found]) => {
    if (!all || !isSuccess(all) || found.length === 0) return NOT_LISTED
    for (const one of found) {
      const word = new URL(one.request.target, 'http://server').searchParams.get(name) ?? ''
      const wanted = (recordsAt(all, list) ?? []).find((record) =>
        JSON.stringify(record).includes(word),
      )
      const id = idIn(wanted, list)
      const ids = idsIn(one, list)
      const isAll = ids?.length === 0 || isWhole(one, list)
      if (id !== undefined && ids && isAll && !ids.includes(id))
        return failure(one, `the record ${id}, which has ${word}`)
    }
    return 'passed'
  })
  const send: Probe['send'] = async (session) => {
    const base = inLongestPage(await listRequest(session, list), list)
    const all = await session.send(base)
    const records = isSuccess(all) ? (recordsAt(all, list) ?? []) : []
    const responses = [all]
    for (const property of named) {
      const values = records.map((one) => String(valueIn(one, property)))
      const word = values.flatMap(wordsOf).at(0)
      if (word === undefined) continue
      const target = withQuery(base.target, (one) => one === name, [[name, word]])
      responses.push(await session.send({ ...base, target, isValid: true }))
    }
    return responses
  }
  return [{ order: ORDER.pages - 0.34, maxRequests: 1 + named.length, checks: [check], send }]
}

/** A word that two texts of a record have, such as a name and an e-mail address. */
function commonWord(record: unknown): string | undefined {
  const texts = isObject(record) ? Object.values(record) : []
  const words = texts.flatMap((one) =>
    typeof one === 'string' ? [...new Set(one.toLowerCase().match(/[a-z]{4,}/g))] : [],
  )
  return words.find((one, at) => words.indexOf(one) !== at)
}

/** A search for a word of a listed record, and for the same word in small letters or capitals. */
function anyCaseProbe(list: ResourceBinding, name: string, properties: readonly string[]): Probe {
  const { operation } = list
  const text = `lists the same for a ${name} in capitals and in small letters`
  const check = operationCheck(operation, `${name}/case`, text, ([, first, other, again]) => {
    const [known, found, after] = [first, other, again].map((one) => idsIn(one, list))
    if (!other || !known || !found || !after) return NOT_LISTED
    if (JSON.stringify(known) !== JSON.stringify(after)) return CHANGED
    const isSame = JSON.stringify(known) === JSON.stringify(found)
    return passIf(isSame, other, `the ${known.length} records that the word of a record lists`)
  })
  return {
    order: ORDER.pages - 0.35,
    maxRequests: 4,
    checks: [check],
    send: async (session) => {
      const base = await listRequest(session, list)
      const send = (query: readonly TextPair[]): Promise<ProbeResponse> => {
        const target = withQuery(base.target, (one) => one === name, query)
        return session.send({ ...base, target, isValid: true })
      }
      const all = await session.send(base)
      const records = isSuccess(all) ? (recordsAt(all, list) ?? []) : []
      const texts = records.flatMap((one) => properties.map((own) => valueIn(one, own)))
      const words = texts.flatMap((one) => (typeof one === 'string' ? one.split(/\s+/) : []))
      const word = words.find((one) => /^[a-z]{3,}$/i.test(one))
      if (word === undefined) return [all]
      const small = word.toLowerCase()
      const asked = [word, small === word ? word.toUpperCase() : small, word]
      const responses = [all]
      for (const one of asked) responses.push(await send([[name, one]]))
      return responses
    },
  }
}

function filterChecks(
  list: ResourceBinding,
  property: string,
  value: string,
  what: string,
): CheckDefinition[] {
  const fits = (record: unknown): boolean =>
    [valueIn(record, property)].flat().map(String).includes(value)
  return checksOfFilter(list, what, property, fits)
}

function checksOfFilter(
  list: ResourceBinding,
  what: string,
  property: string,
  fits: (record: unknown) => boolean,
): CheckDefinition[] {
  const { operation } = list
  const ids = (records: readonly unknown[]): readonly string[] =>
    records.flatMap((one) => idIn(one, list) ?? [])

  return [
    operationCheck(operation, what, `accepts ${what}`, ([, listed]) =>
      listed ? queryAccepted(operation, listed) : NOT_LISTED,
    ),
    operationCheck(
      operation,
      `${what}/fits`,
      `lists only records that match ${what}`,
      ([, one]) => {
        const records = one && isSuccess(one) ? recordsAt(one, list) : undefined
        if (!one || !records) return NOT_LISTED
        const shown = records.filter((record) => valueIn(record, property) !== undefined)
        const other = shown.find((record) => !fits(record))
        return passIf(!other, one, `only records with this ${property}`, JSON.stringify(other))
      },
    ),
    operationCheck(
      operation,
      `${what}/all`,
      `lists all records that match ${what}`,
      ([all, one]) => {
        const [known, listed] = [all, one].map(
          (each) => each && isSuccess(each) && recordsAt(each, list),
        )
        if (!(known && listed && one)) return NOT_LISTED
        if (!isWhole(one, list)) return OTHER_PAGES
        const wanted = ids(known.filter(fits))
        const missing = wanted.find((id) => !ids(listed).includes(id))
        return passIf(missing === undefined, one, `the record ${missing}`, 'it is missing')
      },
    ),
    ...(hasTotal(list)
      ? [
          operationCheck(
            operation,
            `${what}/total`,
            `states the number of records that match ${what}`,
            ([, one]) => totalOfFiltered(one, list),
          ),
        ]
      : []),
  ]
}

function totalOfFiltered(one: ProbeResponse | undefined, list: ResourceBinding): Evaluation {
  const records = one && isSuccess(one) ? recordsAt(one, list) : undefined
  if (!one || !records) return NOT_LISTED
  if (!isWhole(one, list)) return OTHER_PAGES
  const stated = statedTotal(one, list)
  if (stated === undefined || stated === null) return { leftOut: 'the response states no number' }
  return passIf(Number(stated) === records.length, one, `${records.length}`, `${stated}`)
}

/** Without a parameter, a list is the one with its default, such as the active ones only. */
function presetProbes(list: ResourceBinding): Probe[] {
  const { operation } = list
  const { paging } = list.hints
  return operation.parameters.flatMap((parameter) => {
    const { name, schema } = parameter
    const preset = keyword(schema, 'default')
    const isPlace = [paging?.size, paging?.parameter, paging?.before].includes(name)
    const isChoice = keyword(schema, 'enum') !== undefined || typeOf(schema) === 'boolean'
    if (parameter.in !== 'query' || isPlace || !isChoice || preset === undefined) return []
    if (typeof preset === 'object') return []
    const what = `${name}=${preset}`
    const text = `lists the same without ${name} as with its default, ${what}`
    const check = operationCheck(operation, `${name}/default`, text, ([first, given, last]) => {
      const [before, listed, after] = [first, given, last].map((one) => idsIn(one, list))
      if (!given || !before || !listed || !after) return NOT_LISTED
      if (JSON.stringify(before) !== JSON.stringify(after)) return CHANGED
      const isSame = JSON.stringify(before) === JSON.stringify(listed)
      return passIf(isSame, given, `the ${before.length} records that are listed without it`)
    })
    return listProbe(list, [[], [[name, String(preset)]], []], [check])
  })
}

/** A filter by any value lists the records without a value, where its description says so. */
function emptyValueProbes(list: ResourceBinding, texts: DocumentTexts): Probe[] {
  const { operation, resource } = list
  return operation.parameters.flatMap((parameter) => {
    const { name } = parameter
    const property = listedForAll(texts, operation, name)
    const [value] = parameterValues(parameter).valid
    const isKnown = property !== undefined && propertiesOf(resource.schema).has(property)
    if (parameter.in !== 'query' || !isKnown || value === undefined) return []
    const text = `lists with ${name}=${value} the records whose ${property} is empty`
    const check = operationCheck(operation, `${name}/empty`, text, ([all, found]) => {
      const known = all && isSuccess(all) ? recordsAt(all, list) : undefined
      const listed = idsIn(found, list)
      if (!known || !found || !listed) return NOT_LISTED
      if (!isWhole(found, list)) return OTHER_PAGES
      const wanted = known.filter((one) => isEmptyValue(valueIn(one, property)))
      const lost = wanted.map((one) => idIn(one, list)).find((id) => id && !listed.includes(id))
      if (wanted.length === 0) return { leftOut: `no record has an empty ${property}` }
      return passIf(lost === undefined, found, `the record ${lost}`, 'it is missing')
    })
    return listProbe(list, [[], [[name, value]]], [check])
  })
}

function isEmptyValue(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** True and false do not both select the same part of a list. */
function booleanProbes(list: ResourceBinding, texts: DocumentTexts): Probe[] {
  const { operation } = list
  return operation.parameters.flatMap((parameter) => {
    const { name, schema } = parameter
    if (parameter.in !== 'query' || typeOf(schema) !== 'boolean') return []
    const text = `lists other records with ${name}=true than with ${name}=false`
    const isOneOfTwo = selectsOneOfTwo(parameter, texts.parameter(operation.id, name))
    const check = operationCheck(operation, `${name}/both`, text, ([first, yes, no, last]) => {
      const [all, chosen, others, after] = [first, yes, no, last].map((one) => idsIn(one, list))
      if (!no || !all || !chosen || !others || !after) return NOT_LISTED
      if (JSON.stringify(all) !== JSON.stringify(after)) return CHANGED
      const both = isOneOfTwo ? others.find((id) => chosen.includes(id)) : undefined
      if (both !== undefined) return failure(no, `a list without ${both}, which ${name}=true has`)
      const areSame = JSON.stringify(chosen) === JSON.stringify(others)
      const isPart = chosen.length > 0 && chosen.length < all.length
      return passIf(!(areSame && isPart), no, `other records than with ${name}=true`)
    })
    return listProbe(list, [[], [[name, 'true']], [[name, 'false']], []], [check])
  })
}

/** Names of flags that each record has or has not, and what says that a flag selects more than that. */
const HAS = /^(has|is|with|without)(?=[A-Z_-])/
const SELECTS_MORE =
  /\b(all|any|both|also|additionally|either|regardless|only|include\w*|ignored|default|unless)\b|\b(if|when) (it is )?(true|set|given)\b/i

/** Whether a flag selects the records that have something, or else those that have not: no record is in both lists. */
function selectsOneOfTwo({ name, schema }: Parameter, description: string): boolean {
  const text = description.replaceAll('`', '')
  // "With true only those with seats, with false only those without".
  if (/\btrue\b.*\bonly\b.*\bfalse\b.*\bonly\b/is.test(text)) return true
  return HAS.test(name) && schema.default === undefined && text !== '' && !SELECTS_MORE.test(text)
}

/** Filters by what becomes of records. */
const STATE = /(status|state|phase|stage)$/i

/** Flags of records that services leave out of lists without saying so. */
const HIDES = /archiv|delet|remov|trash|hidden|draft|expir|spam/i

/** What says that a list leaves something out when no parameter asks for it. */
const LEFT_OUT =
  /\bdefault|\b(exclud|except|omit|hid(e|den)|includ|only|not (listed|shown|returned))/i

/** Without a filter, a list has the records that it has with each value of the filter. Evaluates all responses of a run. */
export function hiddenRecordChecks(
  { bindings: { list, create } }: BoundResource,
  texts: DocumentTexts,
): CheckDefinition[] {
  if (!list || texts === NO_TEXTS) return []
  const { operation } = list
  const places = longestPage(operation).map(([name]) => name)
  return equalFilters(list).flatMap(([parameter, property]) => {
    const { name, schema } = parameter
    const said = [texts.operation(operation.id), texts.parameter(operation.id, name)]
    const isPreset = schema.default !== undefined || said.some((one) => LEFT_OUT.test(one))
    const isState = STATE.test(property) || (typeOf(schema) === 'boolean' && !HIDES.test(name))
    if (!isState || valuesOf(parameter).length < 2 || isPreset) return []
    const text = `lists without ${name} what it lists with it`
    const evaluate = (all: readonly ProbeResponse[]): Evaluation => {
      const lists = all.filter(
        (one) =>
          isResponseTo(operation, one) && isSuccess(one) && one.request.credentials === 'key',
      )
      const [whole, ...others] = lists.filter(
        (one) => isWhole(one, list) && queryNames(one.request.target).every(isPlace),
      )
      if (!whole) return OTHER_PAGES
      const own = all
        .flatMap((one) => [
          create && isResponseTo(create.operation, one) ? (createdId(one, create) ?? []) : [],
          idsOfNew(one, list),
        ])
        .flat()
      // Records of the run come and go.
      const listed = [whole, ...others].flatMap((one) => idsIn(one, list) ?? [])
      const known = new Set([...listed, ...own])
      const hidden = lists
        .filter(
          (one) =>
            pathOf(one.request.target) === pathOf(whole.request.target) &&
            queryNames(one.request.target).every((own) => own === name || isPlace(own)),
        )
        .flatMap((one) => recordsAt(one, list) ?? [])
        .find(
          (record) =>
            wordsOf(JSON.stringify(record) ?? '').length === 0 &&
            !known.has(idIn(record, list) ?? ''),
        )
      if (hidden === undefined || idIn(hidden, list) === undefined) return 'passed'
      const value = valueIn(hidden, property)
      return failure(whole, `the record ${idIn(hidden, list)}, whose ${property} is ${value}`)
    }
    const isPlace = (own: string): boolean => places.includes(own)
    return operationCheck(operation, `${name}/none`, text, evaluate)
  })
}

/** The ids that the response to a POST shows: records may be created elsewhere, such as below another one. */
function idsOfNew(
  { request: { method }, json }: ProbeResponse,
  list: ResourceBinding,
): readonly string[] {
  const shown = isObject(json) && method === 'POST' ? [json, ...Object.values(json)] : []
  return shown.flatMap((one) => idIn(one, list) ?? [])
}

/** The names in the query of a target. */
function queryNames(target: string): readonly string[] {
  return [...new URL(target, 'http://server').searchParams.keys()]
}

const CHANGED: LeftOut = { leftOut: 'the list changed while it was read' }

/** The ids in a list; `undefined` where there is none. */
export function idsIn(
  response: ProbeResponse | undefined,
  list: ResourceBinding,
): readonly string[] | undefined {
  const records = response && isSuccess(response) ? recordsAt(response, list) : undefined
  return records?.flatMap((one) => idIn(one, list) ?? [])
}
