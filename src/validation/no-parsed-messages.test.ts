import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$|^(testing|generated)/.test(file),
)

/** A message, or a help text, whose words a program would depend on. */
const PARSED =
  /\b(?:message|reason|help)\)?\s*\??\.\s*(?:replace|replaceAll|match|matchAll|includes|startsWith|endsWith|split|search|indexOf)\(|\.(?:test|exec)\(\s*[\w.]*\b(?:message|help)\b/

/** These read the reason code of `X-Sandbox-Reason`, that of a reply of Redis or of a parser without codes, or fit a text for one line of output. */
const OTHERS: readonly string[] = [
  'document/checks/validate-structure.ts: message.split(',
  'document/parse-text.ts: reason.includes(',
  'validation/usage-error.ts: reason.includes(',
  'validation/usage-error.ts: reason.endsWith(',
  'report/report-entry.ts: reason?.startsWith(',
  'report/report-entry.ts: reason.endsWith(',
  'report/report-entry.ts: reason.includes(',
  'report/read-har.ts: reason?.startsWith(',
  'dashboard/views/record-values.ts: reason.startsWith(',
  'http/problem.ts: message.replace(',
  'redis/store-errors.ts: .exec(message',
]

it('no source file searches, splits or rewrites the message of an error', () => {
  const found = files.flatMap((file) => {
    const text = readFileSync(join('src', file), 'utf8')
    return [...text.matchAll(new RegExp(PARSED, 'g'))].map(([code]) => `${file}: ${code}`)
  })

  expect(found.filter((one) => !OTHERS.includes(one))).toEqual([])
})
