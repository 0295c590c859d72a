import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { expect, test } from 'vitest'

const contract = await loadContract(join(import.meta.dirname, 'orders.yaml'))
const sandbox = createSandbox({ contract })

/** The next event of a stream, as its text. */
async function nextEvent({ body }: Response): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!/^data: .*\n\n/m.test(text)) {
    const part = await reader?.read()
    if (!part || part.done) throw new Error('The stream has ended')
    text += part.value
  }
  await reader?.cancel()
  return text
}

test('a live view hears of a cancelled order', async () => {
  const live = await sandbox.fetch(new Request('http://localhost/v1/orders/events'))
  const cancelling = new Request('http://localhost/v1/orders/1/cancel', { method: 'POST' })
  await sandbox.fetch(cancelling)

  expect(await nextEvent(live)).toMatch(/event: order\.cancelled\ndata: .*"id":1,/)
})
