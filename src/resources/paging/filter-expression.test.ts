import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { matcherOf } from '../../records/selection.ts'
import { readConditions, readExpression, readLabels, readProperties } from './filter-expression.ts'

const TEXT: Schema = { type: 'string' }
const BOOK: Schema = {
  type: 'object',
  properties: {
    title: TEXT,
    year: { type: 'integer' },
    status: { type: 'string', enum: ['IN_PRINT', 'SOLD_OUT'] },
    isRare: { type: 'boolean' },
    soldAt: { type: ['string', 'null'], format: 'date-time' },
    author: { type: 'object', properties: { lastName: TEXT } },
    tags: { type: 'array', items: TEXT },
  },
}
const EMMA = {
  ...{ title: 'Emma', year: 1815, status: 'IN_PRINT', isRare: true, soldAt: null },
  ...{ author: { lastName: 'Austen' }, tags: ['novel', 'love'] },
}
const DUNE = {
  ...{ title: 'Dune', year: 1965, status: 'SOLD_OUT', isRare: false },
  ...{ soldAt: '2024-03-01T10:00:00Z', author: { lastName: 'Herbert' }, tags: ['novel'] },
}

/** The titles of the books that an expression selects; `undefined` when it is none. */
function selected(expression: string): readonly string[] | undefined {
  const tests = readExpression(expression, BOOK)
  const { matches } = matcherOf({ tests: tests ?? [] })
  return tests && [EMMA, DUNE].filter(matches).map(({ title }) => title)
}

describe('an expression selects records', () => {
  test.each([
    // SCIM
    ['title eq "Emma"', ['Emma']],
    ['title ne "Emma"', ['Dune']],
    ['title sw "du" or author.lastName co "uste"', ['Emma', 'Dune']],
    ['soldAt pr', ['Dune']],
    ['not (soldAt pr)', ['Emma']],
    ['year gt 1900 and (status eq "sold_out" or isRare eq true)', ['Dune']],
    ['soldAt lt "2024-03-02"', ['Dune']],
    // OData
    ["title eq 'Emma' and year le 1815", ['Emma']],
    ['soldAt ge 2024-03-01T10:00:00Z', ['Dune']],
    ['soldAt eq null', ['Emma']],
    ['soldAt ne null', ['Dune']],
    ["startswith(title,'D')", ['Dune']],
    ["contains(tolower(title),'mm') eq true", ['Emma']],
    ["substringof('mm',title)", ['Emma']],
    ["author/lastName eq 'Herbert'", ['Dune']],
    ["status in ('SOLD_OUT','OTHER')", ['Dune']],
    // RSQL
    ['title==Emma;year<1900', ['Emma']],
    ['year=gt=1900', ['Dune']],
    ['status=in=(IN_PRINT,SOLD_OUT)', ['Emma', 'Dune']],
    ['status=out=(IN_PRINT)', ['Dune']],
    // AIP-160 and others
    ['title = "Emma" AND NOT year > 1900', ['Emma']],
    ['status="SOLD_OUT"', ['Dune']],
    ['title:Du*', ['Dune']],
    ['title:Emma,is_rare:true', ['Emma']],
    ['tags:love', ['Emma']],
    ['TITLE eq "Emma"', ['Emma']],
  ])('%s', (expression, titles) => {
    expect(selected(expression)).toEqual(titles)
  })
})

test.each([
  'Emma',
  'Emma Woodhouse',
  'colour eq "red"',
  'author.colour eq "red"',
  'title eq',
  'title eq "Emma" and',
  '(title eq "Emma"',
  'title eq "Emma")',
  'title eq "Emma',
  'not (title co "m")',
  'year in (1,',
  'contains(title)',
  "substringof('a' title)",
  `${'('.repeat(10_000)}title eq 1`,
])('%s is no expression about the records', (expression) => {
  expect(selected(expression)).toBeUndefined()
})

const OLD = { field: 'year', operator: '<', value: 1900 }
const SOLD = { propertyName: 'status', operator: 'EQ', value: 'SOLD_OUT' }

test.each<[unknown, readonly string[]]>([
  [OLD, ['Emma']],
  [[OLD, SOLD], []],
  [{ operator: 'OR', value: [OLD, SOLD] }, ['Emma', 'Dune']],
  [{ operator: 'AND', value: [OLD, { field: 'title', operator: '^', value: 'E' }] }, ['Emma']],
  [[{ filters: [SOLD, OLD] }], []],
  [{ or: [{ and: [SOLD] }, { and: [OLD] }] }, ['Emma', 'Dune']],
  [{ field: 'lastName', operator: 'IN', values: ['Austen', 'Eliot'] }, ['Emma']],
  [{ field: 'soldAt', operator: 'HAS_PROPERTY' }, ['Dune']],
  [{ field: 'year', value: 1965 }, ['Dune']],
])('%j selects records', (conditions, titles) => {
  const tests = readConditions(conditions, BOOK) ?? []

  expect([EMMA, DUNE].filter(matcherOf({ tests }).matches).map(({ title }) => title)).toEqual(
    titles,
  )
})

test.each([
  7,
  {},
  { field: 'colour', operator: '=', value: 'red' },
  { field: 'year', operator: 'constructor', value: 1 },
  [OLD, { field: 'colour', operator: '=', value: 'red' }],
])('%j are no comparisons of what the records have', (conditions) => {
  expect(readConditions(conditions, BOOK)).toBeUndefined()
})

test.each([
  ['env=prod', ['web']],
  ['env==prod,tier=1', ['web']],
  ['env: prod', ['web']],
  ['env!=prod', ['job']],
  ['tier', ['web']],
  ['!tier', ['job']],
  ['env in (dev, prod)', ['web', 'job']],
  ['env notin (dev),tier', ['web']],
  ['example.com/kind=batch', ['job']],
  ['env=', []],
  ['(((', ['web', 'job']],
])('a label selector compares the labels of records: %s', (selector, expected) => {
  const servers = [
    { name: 'web', labels: { env: 'prod', tier: '1' } },
    { name: 'job', labels: { env: 'dev', 'example.com/kind': 'batch' } },
  ]
  const { matches } = matcherOf({ tests: readLabels(selector, ['labels']) })

  expect(servers.filter(matches).map(({ name }) => name)).toEqual(expected)
})

test.each([
  [{ title: 'Emma' }, ['Emma']],
  [{ title: { _eq: 'Emma' } }, ['Emma']],
  [{ year: { $gt: '1900' } }, ['Dune']],
  [{ year: { _between: [1800, 1900] } }, ['Emma']],
  [{ title: { $in: ['Emma', 'Dune'] }, isRare: { _eq: true } }, ['Emma']],
  [{ title: { _nin: 'Emma,Persuasion' } }, ['Dune']],
  [{ author: { lastName: { _icontains: 'aus' } } }, ['Emma']],
  [{ 'author.lastName': 'Herbert' }, ['Dune']],
  [{ tags: 'love' }, ['Emma']],
  [{ soldAt: { _null: true } }, ['Emma']],
  [{ soldAt: { _null: 'false' } }, ['Dune']],
  [{ soldAt: { exists: false } }, ['Emma']],
  [{ _or: [{ year: { _lt: 1900 } }, { status: { _eq: 'SOLD_OUT' } }] }, ['Emma', 'Dune']],
  [{ $and: [{ year: { $lt: 1900 } }, { isRare: true }] }, ['Emma']],
  [{ or: { 0: { title: 'Dune' }, 1: { title: 'None' } } }, ['Dune']],
  [{ $not: { title: 'Dune' } }, ['Emma']],
  [{ where: { title: 'Dune' } }, ['Dune']],
  ['{"title":{"_eq":"Dune"}}', ['Dune']],
  [{ title: { _near: 'Emma' } }, undefined],
  [{ price: 3 }, undefined],
  [{ _eq: 3 }, undefined],
  ['{"title"', undefined],
  ['"title"', undefined],
])('an object by the names of properties selects records: %j', (value, expected) => {
  const tests = readProperties(value, BOOK)
  const { matches } = matcherOf({ tests: tests ?? [] })

  expect(tests && [EMMA, DUNE].filter(matches).map(({ title }) => title)).toEqual(expected)
})
