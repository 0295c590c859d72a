import * as promClient from 'prom-client'
import { expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { createMetrics } from './metrics.ts'

const FREE = { Authorization: 'Bearer sk_sandbox_free' }

test('requests are counted by operation, method and status, and refusals by reason', async () => {
  const sandbox = createSandbox()
  const metrics = createMetrics(promClient)
  sandbox.worlds.onExchange(metrics.exchange)

  await sandbox.fetch(new Request('http://localhost/v1/pets', { headers: FREE }))
  await sandbox.fetch(new Request('http://localhost/v1/pets'))
  await sandbox.fetch(new Request('http://localhost/v1/nothing', { headers: FREE }))
  const text = await metrics.text()

  expect(text).toContain(
    'pet_sandbox_requests_total{operation="listPets",method="GET",status="200"} 1\n',
  )
  expect(text).toContain(
    'pet_sandbox_requests_total{operation="listPets",method="GET",status="401"} 1\n',
  )
  expect(text).toContain(
    'pet_sandbox_requests_total{operation="none",method="GET",status="404"} 1\n',
  )
  expect(text).toContain('pet_sandbox_refusals_total{reason="no-key"} 1\n')
  expect(text).toContain('pet_sandbox_request_duration_seconds_count{operation="listPets"} 2\n')
  expect(text).toContain('process_cpu_seconds_total')
})

test('clients cannot make any number of values: unknown methods and too many reasons are counted together', async () => {
  const metrics = createMetrics(promClient)
  const exchange = {
    id: 1,
    time: 0,
    target: '/',
    caller: 'valid',
    status: 400,
    notes: [],
    milliseconds: 1,
    request: { url: '/', headers: [] },
    response: { headers: [], body: '' },
  } as const

  for (let number = 0; number < 200; number += 1) {
    const refusal = { code: `code_${number}`, message: '' }
    metrics.exchange({ ...exchange, method: `METHOD${number}`, refusal })
  }
  const text = await metrics.text()

  expect(text.match(/^pet_sandbox_requests_total\{/gm)).toHaveLength(1)
  expect(text.match(/^pet_sandbox_refusals_total\{/gm)).toHaveLength(101)
  expect(text).toContain('pet_sandbox_refusals_total{reason="other"} 100\n')
})

test('round trips to the store are counted by call', async () => {
  const metrics = createMetrics(promClient)

  metrics.storeCall('arrive', 2)
  metrics.storeCall('arrive', 3)
  const text = await metrics.text()

  expect(text).toContain('pet_sandbox_store_calls_total{call="arrive"} 2\n')
  expect(text).toContain('pet_sandbox_store_call_duration_seconds_sum{call="arrive"} 0.005\n')
})
