import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { generateValue } from './generate-value.ts'

const text: Schema = { type: 'string' }

/** The values of a property in some records of a collection, whose example has this value. */
function valuesLike(
  sample: unknown,
  name: string,
  { schema = text, place = 'things', others = {}, count = 50 } = {},
): readonly unknown[] {
  return Array.from({ length: count }, (_, at) => {
    const properties = { [name]: schema, ...others }
    const { value } = generateValue(
      {
        schema: { type: 'object', required: Object.keys(properties), properties },
        ...{ seed: [1], at, now: Date.parse('2026-01-01'), place, sample: { [name]: sample } },
      },
      { hasExamples: false },
    )
    return Object(value)[name]
  })
}

describe('values like an example', () => {
  it.each<[name: string, sample: string, form: RegExp]>([
    ['name', 'my-volume', /^[a-z]+-[a-z]+$/],
    ['name', 'My volume', /^[A-Z][a-z]+ [a-z]+$/],
    ['key', 'MY_KEY', /^[A-Z]+_[A-Z]+$/],
    ['name', '/sleepy_dog', /^\/[a-z]+_[a-z]+$/],
    ['full_name', 'octocat/hello', /^[a-z]+\/[a-z]+$/],
    ['title', 'report.pdf', /^[a-z]+-[a-z]+\.pdf$/],
    ['uid', 'unique-app-identifier', /^[a-z]+-[a-z]+$/],
    ['mountpoint', '/var/lib/volumes/tardis', /^\/var\/lib\/volumes\/[a-z]+-[a-z]+$/],
  ])('have the form of %s: %s, and differ', (name, sample, form) => {
    const values = valuesLike(sample, name)

    expect(new Set(values).size).toBe(50)
    for (const value of values) expect(value).toMatch(form)
  })

  it.each<[name: string, sample: string]>([
    ['region', 'us-east-1'],
    ['currency', 'chf'],
    ['driver', 'custom'],
    ['status', 'succeeded'],
    ['featureFlag', 'cool-new-feature'],
  ])('are the same where other parts of an API must know them: %s', (name, sample) => {
    expect(new Set(valuesLike(sample, name))).toEqual(new Set([sample]))
  })

  it('are dates in the form of the example', () => {
    for (const value of valuesLike('2019-11-30', 'starts')) {
      expect(value).toMatch(/^20\d\d-\d\d-\d\d$/)
      expect(Date.parse(String(value))).not.toBeNaN()
    }
  })

  it('are dates of mail where the example is', () => {
    for (const value of valuesLike('Mon, 02 Jan 2006 15:04:05 +0000', 'created')) {
      expect(value).toMatch(/^\w{3}, \d\d \w{3} 20\d\d [\d:]{8} \+0000$/)
      expect(Date.parse(String(value))).not.toBeNaN()
    }
  })

  it('are numbers of the size of the example', () => {
    const amounts = valuesLike(1999, 'amount', { schema: { type: 'integer' } })

    expect(Math.min(...amounts.map(Number))).toBeGreaterThan(700)
    expect(Math.max(...amounts.map(Number))).toBeLessThan(4000)
    expect(new Set(amounts).size).toBeGreaterThan(40)
  })

  it('are times in milliseconds where the example is', () => {
    for (const value of valuesLike(1_600_000_000_000, 'created_at', {
      schema: { type: 'integer' },
    }))
      expect(value).toBeGreaterThan(1e12)
  })

  it('are flags that are rarely set for an end', () => {
    const schema: Schema = { type: 'boolean' }
    const deleted = valuesLike(undefined, 'deleted', { schema }).filter((one) => one === true)

    expect(deleted.length).toBeLessThan(15)
  })
})

describe('names of things', () => {
  it.each<[place: string, form: RegExp]>([
    ['tasks', /^[A-Z][a-z]+ the [a-z]+ [a-z]+$/],
    ['user/repos', /^[A-Z][a-z]+ [a-z]+$/],
    ['products', /^[A-Z][a-z]+ [a-z]+ [a-z]+$/],
  ])('fit the collection: %s', (place, form) => {
    const names = valuesLike(undefined, 'title', { place })

    expect(new Set(names).size).toBe(50)
    for (const name of names) expect(name).toMatch(form)
  })

  it.each(['things', 'customers', 'companies'])('are those of the slug: %s', (place) => {
    const properties = { name: text, slug: text }
    const { value } = generateValue({
      schema: { type: 'object', required: ['name', 'slug'], properties },
      ...{ seed: [1], at: 3, now: 0, place },
    })

    const { name, slug } = Object(value)
    expect(slug).toBe(name.toLowerCase().replaceAll(' ', '-'))
  })

  it('are persons where an email is beside them, and the email is theirs', () => {
    const properties = { name: text, email: text }
    const { value } = generateValue({
      schema: { type: 'object', required: ['name', 'email'], properties },
      ...{ seed: [1], at: 3, now: 0, place: 'accounts' },
    })

    const { name, email } = Object(value)
    expect(email).toBe(`${name.toLowerCase().replace(' ', '.')}@example.com`)
  })
})
