import { describe, expect, test } from 'vitest'
import { PROBLEM_CODES } from '../../validation/error-codes.ts'
import { readGuide } from './markdown.ts'

const pages = await readGuide()
const page = pages.find(({ path }) => path.endsWith('/error-codes.md'))

/** The codes that have a row with a cause and what to do, neither of which is empty. */
const explained = [
  ...(page?.text ?? '').matchAll(/^\| (`.+?) \|(.*\|)? (\S.+) \| (\S.+) \|$/gm),
].flatMap(([, codes = '']) => [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => code))

describe('error-codes.md explains the code', () => {
  test.each(Object.keys(PROBLEM_CODES))('%s of the API', (code) => {
    expect(explained).toContain(code)
  })
})
