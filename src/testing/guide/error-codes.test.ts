import { createSandbox, UsageError } from 'pet-sandbox'
import { describe, expect, it, test } from 'vitest'
import { problems } from '../../http/problem.ts'
import { PROBLEM_CODES, USAGE_ERROR_CODES } from '../../validation/error-codes.ts'
import { codeSpans, readGuide } from './markdown.ts'

const pages = await readGuide()

/** The names that are written as code on a page. */
function namesOn(page: string): readonly string[] {
  return pages.filter(({ path }) => path.endsWith(`/${page}`)).flatMap(codeSpans)
}

/** What a sandbox throws for an option that does not exist. */
function unknownOption(): UsageError | undefined {
  try {
    createSandbox(JSON.parse('{ "recordz": 1 }'))
  } catch (error) {
    if (error instanceof UsageError) return error
  }
  return undefined
}

test('error-codes.md names every field of a UsageError', () => {
  const fields = Object.keys(unknownOption() ?? {}).filter((field) => field !== 'name')

  expect(fields).toContain('code')
  expect(namesOn('error-codes.md')).toEqual(expect.arrayContaining(fields))
})

test('options.md names every option of createSandbox', () => {
  const { allowed = [] } = unknownOption() ?? {}

  expect(allowed).toContain('records')
  expect(namesOn('options.md')).toEqual(expect.arrayContaining([...allowed]))
})

/** The rows of the tables of codes. */
const rows = pages
  .filter(({ path }) => path.endsWith('/error-codes.md'))
  .flatMap(({ text }) => [...text.matchAll(/^\| code \|.*\n((?:\|.*\n)+)/gm)])
  .flatMap(([, table = '']) => [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)])
  .map(([, code = '', cells = '']) => ({ code, cells: cells.split(' | ') }))

test('error-codes.md has the codes of the API and those of a UsageError, each once, in order', () => {
  expect(rows.map(({ code }) => code)).toEqual([...PROBLEM_CODES, ...USAGE_ERROR_CODES])
})

describe('error-codes.md says what it means, and what to do about it, of', () => {
  it.each(rows)('$code', ({ cells }) => {
    const [meaning, remedy] = cells.slice(-2)

    expect(meaning).toMatch(/^[A-Z].*\.$/)
    expect(remedy).toMatch(/^[A-Z].*\.$/)
  })
})

/** Every problem that there is, for its status. */
const made = [
  problems.invalidInput([]),
  problems.headersTooLarge(''),
  problems.unauthorized('', '', ''),
  problems.forbidden(''),
  problems.forbidden('', 'insufficient_scope'),
  problems.outdatedPage(''),
  problems.notFound(''),
  problems.gone(''),
  problems.operationRemoved(''),
  problems.methodNotAllowed('', ''),
  problems.requestTimeout(''),
  problems.noExchange('', []),
  problems.payloadTooLarge(0),
  problems.unsupportedMediaType(''),
  problems.rateLimitExceeded('', 0, ''),
  problems.keyBanned('', 0, ''),
  problems.internalError(''),
  problems.notAcceptable(''),
  problems.unavailable('', 0),
  problems.connectionReset(),
  problems.incompleteBody(),
  problems.noAnswer(),
]

/** The statuses of a code, such as `400, 431`; `–` where there is no response. */
function statusesOf(code: string): string {
  if (code === 'forced_status') return '400–599'
  const statuses = made.filter((problem) => problem.code === code).map(({ status }) => status)
  return statuses.map((status) => (status === 0 ? '–' : status)).join(', ')
}

describe('error-codes.md has the status of', () => {
  it.each(rows.filter(({ cells }) => cells.length === 3))('$code', ({ code, cells }) => {
    expect(cells[0]).toBe(statusesOf(code))
  })
})
