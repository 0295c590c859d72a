import { expect, it } from 'vitest'
import {
  createFrozenSandbox,
  createMisusedSandbox,
  reportOn,
  sendRequest,
} from '../testing/report-inputs.ts'
import { planSentence } from './compare-plans.ts'
import { toText } from './text.ts'

it('the text contains findings, usage by operation, coverage, plans and the verdict', async () => {
  const sandbox = createFrozenSandbox({ plans: { free: { minute: 2, day: 100 } } })
  await sendRequest(sandbox, '/pets/1')
  for (let request = 1; request <= 3; request += 1) await sendRequest(sandbox, '/pets?status=sold')
  sandbox.clock.advance('31s')
  await sendRequest(sandbox, '/pets?status=sold')

  const text = toText(await sandbox.report({ plans: true }))

  expect(text).toMatchInlineSnapshot(`
    "Pet Adoption Store 1.0.0: 5 requests

    error   early-retry  listPets, key …free
            1 request did not wait for Retry-After. Shortest wait: 0 ms instead of 30 s.
            RFC 9110, section 10.2.3 (Retry-After)  #4

    warning deprecated  getPet, key …free
            1 request was sent to the deprecated operation getPet (removal on 2030-12-05; use /pets?status=available instead).
            RFC 9745 (Deprecation header)  #1

    KEY    OPERATION  REQUESTS  429  TOO EARLY  WAIT (ACTUAL OF REQUESTED)
    …free  getPet     1         0    0
    …free  listPets   4         2    1          0 ms of 30 s, 31 s of 30 s

    Coverage 14 % (7 of 47)
      listPets  4 of 15
        not covered: 400, 401, query.status=available, query.status=pending, 401 without a key,
        401 with a wrong key, 429 by the day's quota, 429 by a ban, 400 for query.limit,
        400 for query.status, 400 for query.cursor
      createPet  never called
      getPet  1 of 10
        not covered: 401, 404, 429, 401 without a key, 401 with a wrong key, 429 by the minute's quota,
        429 by the day's quota, 429 by a ban, 404 after its removal

    Plans
      This traffic needs pro; on free, 1 request is refused and the longest wait is 30 s.

    Failed: 1 violation of early-retry."
  `)
})

it('the text contains no control characters that a client sent', async () => {
  const text = toText(reportOn(await createMisusedSandbox()))

  expect(text).not.toMatch(/[^\P{Cc}\n]/u)
})

it('the text has colors only where they are requested', async () => {
  const report = reportOn(await createMisusedSandbox())

  const painted = toText(report, { paint: (style, text) => `[${style}]${text}` })

  expect(painted).toContain('[red]error')
  expect(painted.replace(/\[(?:bold|red|yellow|green|dim)\]/g, '')).toBe(toText(report))
})

it('with many keys, the text shows those with the most refused requests', async () => {
  const sandbox = createFrozenSandbox({ plans: { free: { minute: 1, day: 100 } } })
  for (let key = 10; key < 40; key += 1) {
    sandbox.setKey(`some_key_${key}`, 'pro')
    await sendRequest(sandbox, '/pets', { key: `some_key_${key}` })
  }
  await sendRequest(sandbox, '/pets')
  await sendRequest(sandbox, '/pets')

  const text = toText(reportOn(sandbox))

  expect(text).toMatch(/REQUESTED\)\n…free {2}/)
  expect(text).toContain('and 11 more; the JSON report contains all')
})

it('a sentence states which plans are too small', () => {
  const plan = { minute: 1, day: 1, bans: 0 }
  const short = { ...plan, plan: 'free', enough: false, refused: 14, longestWait: 41_028 }
  const enough = { ...plan, plan: 'pro', enough: true, refused: 0, longestWait: 0 }

  expect(planSentence({ requests: 74, needs: 'pro', plans: [short, enough] })).toBe(
    'This traffic needs pro; on free, 14 requests are refused and the longest wait is 41 s.',
  )
  expect(planSentence({ requests: 74, plans: [{ ...short, bans: 1 }] })).toBe(
    'No plan is sufficient for this traffic; on free, 14 requests are refused and the longest wait is 41 s, and a client that does not wait is banned.',
  )
  expect(planSentence({ requests: 7, plans: [] })).toBe('There are no plans to compare.')
  expect(planSentence({ requests: 0, plans: [] })).toBe(
    'No requests with a valid API key were recorded.',
  )
})
