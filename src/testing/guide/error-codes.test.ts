import { createSandbox, UsageError } from 'pet-sandbox'
import { expect, test } from 'vitest'
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
