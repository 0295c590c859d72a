import { expect, test } from 'vitest'
import { Readiness } from './open-server.ts'

test('a server is ready while its check succeeds, and until it stops', async () => {
  let isAway = false
  const readiness = new Readiness(async () => {
    if (isAway) throw new Error('The store is away')
  })

  const before = await readiness.isReady()
  isAway = true
  const during = await readiness.isReady()
  isAway = false
  const after = await readiness.isReady()
  readiness.stop()

  expect([before, during, after, await readiness.isReady()]).toEqual([true, false, true, false])
})

test('probes at the same time share one check', async () => {
  let checks = 0
  const readiness = new Readiness(async () => {
    checks += 1
  })

  await Promise.all([readiness.isReady(), readiness.isReady(), readiness.isReady()])

  expect(checks).toBe(1)
})
