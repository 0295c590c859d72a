import { createSandbox } from 'pet-sandbox'
import { createControl } from 'pet-sandbox/control'
import { expect, test } from 'vitest'

test('the control interface moves the clock', async () => {
  // region control
  const sandbox = createSandbox()
  const control = createControl(sandbox, { token: 'secret' })

  const response = await control.fetch(
    new Request('http://localhost/__sandbox/clock', {
      method: 'POST',
      headers: { Authorization: 'Bearer secret', 'Content-Type': 'application/json' },
      body: JSON.stringify({ set: '2030-12-05T00:00:00Z' }),
    }),
  )
  // endregion

  expect(await response.json()).toEqual({ now: '2030-12-05T00:00:00.000Z', frozen: true })
  control.close()
})
