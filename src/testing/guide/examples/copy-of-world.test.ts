import { createSandbox } from 'pet-sandbox'
import { expect, test } from 'vitest'

test('a copy of a world starts with the records of the other', async () => {
  const sandbox = createSandbox()

  // region worlds
  const checkout = sandbox.world('checkout') // starts with the first records
  await checkout.collection('pets').remove(1)
  const later = sandbox.world('later', { from: 'checkout' }) // starts from the present state of "checkout"
  // endregion

  expect(await later.collection('pets').get(1)).toBeUndefined()
  expect(await sandbox.collection('pets').get(1)).toBeDefined()
})
