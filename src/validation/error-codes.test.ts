import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROBLEM_CODES, USAGE_ERROR_CODES } from './error-codes.ts'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$|^testing|error-codes/.test(file))
  .map((file) => readFileSync(join('src', file), 'utf8'))
  .join('\n')

describe('the table of error codes', () => {
  it.each(Object.entries({ ...USAGE_ERROR_CODES, ...PROBLEM_CODES }))(
    'explains %s, which the program uses',
    (code, { meaning, remedy }) => {
      expect(sources).toContain(`'${code}'`)
      expect(meaning).toMatch(/^[A-Z].*\.$/)
      expect(remedy).toMatch(/^[A-Z].*\.$/)
    },
  )
})
