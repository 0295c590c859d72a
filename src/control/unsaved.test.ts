import { expect, test } from 'vitest'
import { NOON, openControl } from '../testing/control.ts'

const FREE = 'sk_sandbox_free'

test('changes of accounts are undone when they cannot be saved', async () => {
  const { sandbox, control, callControl } = openControl(
    {},
    { plans: { free: { minute: 2, day: 100 } } },
  )
  const headers = { Authorization: `Bearer ${FREE}` }
  for (let sent = 0; sent < 12; sent += 1) {
    await sandbox.fetch(new Request('http://localhost/v1/pets', { headers }))
  }
  const before = await callControl('GET', '/accounts')
  const unsaved = { address: '127.0.0.1', saveChanges: () => Promise.reject(new Error('full')) }

  const address = `http://localhost/__sandbox/accounts/${FREE}/ban`
  const lift = control.fetch(new Request(address, { method: 'DELETE' }), unsaved)

  await expect(lift).rejects.toThrow('full')
  expect((await callControl('GET', '/accounts')).body).toEqual(before.body)
  expect(NOON).toBe(new Date(sandbox.clock.now()).toISOString())
})
