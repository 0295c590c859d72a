import { isDeepStrictEqual } from 'node:util'
import fc, { type Arbitrary } from 'fast-check'
import { describe, it } from 'vitest'
import { NOON, type OpenedControl, openControl } from '../control.ts'
import { scaledRuns } from '../long-run.ts'
import { closeInstances } from '../redis/instances.ts'
import { findRunStore } from '../redis/run-store.ts'
import { sharedControls } from '../redis/shared-controls.ts'
import { anyControlRequest, type ControlRequest } from './any-control-request.ts'
import { anyRequest } from './any-request.ts'
import { PLACEHOLDER } from './any-target.ts'
import { readApi } from './api.ts'
import { checkProperty } from './check-sequences.ts'
import { connectInProcess } from './connections.ts'
import { PLANS } from './quota.ts'
import type { FuzzRequest } from './request.ts'

const TIMEOUT = 1_200_000

type Step = { readonly control: ControlRequest } | { readonly request: FuzzRequest }

/** Control requests that change much or read much. */
const CONTROL: readonly (readonly [target: string, body?: object])[] = [
  ['POST /clock', { advance: '61s' }],
  ['POST /clock', { advance: '6h' }],
  ['POST /clock', { set: '2030-12-05T00:00:00Z' }],
  ['POST /clock', { advanceToReset: 'sk_sandbox_free' }],
  ['POST /outcomes', { outcome: 'server-error', probability: 0.5 }],
  ['POST /outcomes', { outcome: 'not-found', skip: 1, times: 2, method: 'GET' }],
  ['POST /outcomes', { outcome: 'rate-limited', key: 'sk_sandbox_pro' }],
  ['DELETE /outcomes'],
  ['POST /records/pets', { name: 'Fern', categoryId: 1 }],
  ['PATCH /records/pets/2', { status: 'sold' }],
  ['DELETE /records/pets/3'],
  ['GET /records/pets?status=sold'],
  ['PUT /plans/free', { minute: 2 }],
  ['PUT /keys/sk_sandbox_free', { plan: 'pro' }],
  ['DELETE /keys/sk_sandbox_free'],
  ['PUT /accounts/sk_sandbox_free/remaining', { minute: 0 }],
  ['DELETE /accounts/sk_sandbox_free/ban'],
  ['GET /accounts'],
  ['POST /reset'],
  ['POST /scenarios/spent-quota'],
  ['GET /journal'],
  ['GET /report?plans=true'],
  ['GET /snapshot'],
  ['GET /outcomes'],
  ['GET /clock'],
  ['GET /keys'],
  ['GET /plans'],
  ['GET /records'],
]

const usefulControl: Arbitrary<ControlRequest> = fc
  .constantFrom(...CONTROL)
  .map(([target, body]) => {
    const [method = '', path = ''] = target.split(' ')
    return { method, path, raw: body && JSON.stringify(body) }
  })

/** What differs from run to run is left out: other worlds, whose clocks run, and a clock or a delay in real time. */
const anyControl = anyControlRequest.filter(
  ({ path, raw = '' }) => !/^\/(?:worlds|health|$)/.test(path) && !/resume|latency/.test(raw),
)

const step: Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: anyRequest(readApi('openapi.yaml')).map((request) => ({ request })) },
  { weight: 3, arbitrary: usefulControl.map((control) => ({ control })) },
  { weight: 1, arbitrary: anyControl.map((control) => ({ control })) },
)

/** The maximum number of characters of a text in the message of a failure. */
const MAX_TEXT = 2000

/** What differs from run to run: measured durations, what is computed from them, and the random ids of clients. */
const VARIABLE = ['milliseconds', 'time', 'wait', 'end', 'client']

function withoutVariable(body: unknown): unknown {
  const text = JSON.stringify(body ?? null, (name, value) =>
    VARIABLE.includes(name) ? undefined : value,
  )
  return JSON.parse(text)
}

async function take(opened: OpenedControl, given: Step): Promise<unknown> {
  if ('control' in given) {
    const { method, path, raw } = given.control
    const { status, body } = await opened.callControl(
      method,
      path,
      raw === undefined ? {} : { raw },
    )
    // After these, the clock runs.
    if (/^\/(?:reset|scenarios|snapshot)/.test(path)) await stopClock(opened)
    return { status, body: withoutVariable(body) }
  }
  const target = `/v1${given.request.target.replace(PLACEHOLDER, '1')}`
  const { send } = await connectInProcess(opened.sandbox)
  const { status, headers, body } = await send({ ...given.request, target })
  return { status, headers: [...headers], body }
}

async function stopClock({ callControl }: OpenedControl): Promise<void> {
  await callControl('POST', '/clock', { body: { set: NOON } })
}

/** Takes the same steps in two ways, and throws an error at the first difference. */
async function expectSame(
  list: readonly Step[],
  shared: OpenedControl,
  memory: OpenedControl,
): Promise<void> {
  for (const [index, one] of list.entries()) {
    const inStore = await take(shared, one)
    const inMemory = await take(memory, one)
    if (isDeepStrictEqual(inStore, inMemory)) continue
    throw new Error(describeDifference(list.slice(0, index + 1), inStore, inMemory))
  }
}

/** The steps up to the difference, the last one with both results. Long texts are cut. */
function describeDifference(steps: readonly Step[], inStore: unknown, inMemory: unknown): string {
  const lines = [...steps.map(asText), { inStore }, { inMemory }]
  return lines.map((line) => JSON.stringify(line, cut)).join('\n')
}

function asText(given: Step): unknown {
  if ('control' in given) return given.control
  const { body, ...request } = given.request
  return { ...request, body: body && Buffer.from(body).toString() }
}

function cut(_name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= MAX_TEXT) return value
  return `${value.slice(0, MAX_TEXT)}… (${value.length} characters)`
}

describe.skipIf(!findRunStore())('two servers on one store', () => {
  it(
    'give the same responses to random requests as a sandbox in memory, control requests included',
    async () => {
      const openShared = sharedControls(
        () => String(findRunStore()?.address),
        () => `${findRunStore()?.prefix}.${crypto.randomUUID()}`,
      )
      const settings = { records: 6, plans: PLANS }
      const steps = fc.array(step, { minLength: 1, maxLength: 30, size: 'max' })
      const property = fc.asyncProperty(steps, async (list) => {
        try {
          await expectSame(list, openShared({}, settings), openControl({}, settings))
        } finally {
          await closeInstances()
        }
      })
      await checkProperty(property, scaledRuns(20))
    },
    TIMEOUT,
  )
})
