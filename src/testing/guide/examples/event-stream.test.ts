import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { expect, test } from 'vitest'

const contract = await loadContract(join(import.meta.dirname, 'orders.yaml'))
const sandbox = createSandbox({ contract })

/** The next event of a stream, as its text. */
async function nextEvent({ body }: Response): Promise<string> {
  let text = ''
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    if (/^data: .*\n\n/m.test(text)) return text
  }
  throw new Error('The stream has ended')
}

test('a live view hears of a cancelled order', async () => {
  const live = await sandbox.fetch(new Request('http://localhost/v1/orders/events'))
  const cancelling = new Request('http://localhost/v1/orders/1/cancel', { method: 'POST' })
  await sandbox.fetch(cancelling)

  expect(await nextEvent(live)).toMatch(/event: order\.cancelled\ndata: .*"id":1,/)
})
