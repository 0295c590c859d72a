import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { startsWithDay } from './faults.ts'

/** What a service requires of a property. */
export interface Rule {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'list' | 'object'
  readonly isRequired?: true
  readonly isNullable?: true
  readonly isDate?: true
  /** The least number, or the least length of a text. */
  readonly least?: number
  readonly most?: number
  readonly pattern?: RegExp
  readonly members?: readonly string[]
  readonly items?: Rule
  readonly properties?: Rules
}

export type Rules = Readonly<Record<string, Rule>>

/** A patient as clients send it. */
export const PATIENT: Rules = {
  record_number: { type: 'string', isRequired: true, pattern: /^[A-Z]{2}-[0-9]{6}$/ },
  family_name: { type: 'string', isRequired: true, least: 1, most: 80 },
  born_on: { type: 'string', isRequired: true, isDate: true },
  blood_type: { type: 'string', members: ['A', 'B', 'AB', '0'] },
  weight: { type: 'number', least: 0, most: 500 },
  allergies: { type: 'list', most: 20, items: { type: 'string', least: 1, most: 60 } },
  contact: {
    type: 'object',
    properties: {
      phone: { type: 'string', isRequired: true, pattern: /^\+?[0-9 ]{5,20}$/ },
      street: { type: 'string', most: 100 },
    },
  },
  insured: { type: 'boolean' },
  notes: { type: 'string', isNullable: true, most: 2000 },
}

/** A visit as clients send it. */
export const VISIT: Rules = {
  reason: { type: 'string', isRequired: true, least: 3, most: 200 },
  starts_at: { type: 'string', isRequired: true, isDate: true },
  minutes: { type: 'integer', least: 5, most: 240 },
  status: { type: 'string', members: ['planned', 'done', 'missed'] },
  fee: { type: 'number', least: 0 },
}

/** How a record is judged. */
interface Judgement {
  /** Whether only some properties are sent. */
  readonly isPart: boolean
  /** The fault of the service. A rule that it names, such as `any form of contact.phone`, is not kept. */
  readonly fault: string
  readonly prefix?: string
}

/** The first rule that a record breaks, in words. */
export function problemIn(
  record: JsonObject,
  rules: Rules,
  { isPart, fault, prefix = '' }: Judgement,
): string | undefined {
  for (const [key, rule] of Object.entries(rules)) {
    const name = `${prefix}${key}`
    const value = record[key]
    const isMissing = value === undefined && rule.isRequired && !isPart
    if (isMissing && fault !== `no ${name} is needed`) return `${name} is missing.`
    if (value === undefined || isIgnored(name, fault)) continue
    if (!isValid(value, rule, name, fault)) return `${name} is not valid.`
    const inner =
      rule.properties && isObject(value)
        ? problemIn(value, rule.properties, { isPart: false, fault, prefix: `${name}.` })
        : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

function isIgnored(name: string, fault: string): boolean {
  return [`any ${name}`, `any type of ${name}`, `any form of ${name}`].includes(fault)
}

function isValid(value: unknown, rule: Rule, name: string, fault: string): boolean {
  if (value === null) return rule.isNullable === true
  if (!hasType(value, rule)) return false
  const size = sizeOf(value)
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, items } = rule
  const isAnySize = [`any length of ${name}`, `any number of ${name}`].includes(fault)
  if (!isAnySize && size !== undefined && (size < least || size > most)) return false
  if (rule.pattern && !rule.pattern.test(String(value))) return false
  if (rule.members && !rule.members.includes(String(value))) return false
  if (rule.isDate && !isDate(String(value))) return false
  const isAnyItem = fault === `any items of ${name}`
  if (!items || isAnyItem || !Array.isArray(value)) return true

  return value.every((one) => isValid(one, items, `${name}[]`, fault))
}

function hasType(value: unknown, { type }: Rule): boolean {
  if (type === 'list') return Array.isArray(value)
  if (type === 'object') return isObject(value) && !Array.isArray(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return [...value].length
  return Array.isArray(value) ? value.length : undefined
}

function isDate(text: string): boolean {
  return startsWithDay(text) && !Number.isNaN(Date.parse(text))
}
