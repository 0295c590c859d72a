import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROBLEM_CODES, USAGE_ERROR_CODES } from './error-codes.ts'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$|^testing|error-codes/.test(file))
  .map((file) => readFileSync(join('src', file), 'utf8'))
  .join('\n')

describe('the program uses the error code', () => {
  it.each([...USAGE_ERROR_CODES, ...PROBLEM_CODES])('%s', (code) => {
    expect(sources).toContain(`'${code}'`)
  })
})
