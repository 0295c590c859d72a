import { createHmac, timingSafeEqual } from 'node:crypto'

/** The events that have come. An application keeps their ids where it keeps its data. */
const seen = new Set<string>()

/** The route handler of an application, as Next.js has it in `app/hooks/route.ts`. */
export async function POST(request: Request): Promise<Response> {
  const body = await request.text()
  const id = request.headers.get('webhook-id') ?? ''
  const timestamp = request.headers.get('webhook-timestamp') ?? ''
  const isOld = Math.abs(Date.now() / 1000 - Number(timestamp)) > 300
  const secret = String(process.env.WEBHOOK_SECRET).replace('whsec_', '')
  const expected = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest()
  const given = (request.headers.get('webhook-signature') ?? '')
    .split(' ')
    .map((one) => Buffer.from(one.replace('v1,', ''), 'base64'))
  const isGenuine = given.some(
    (one) => one.length === expected.length && timingSafeEqual(one, expected),
  )
  if (isOld || !isGenuine) return new Response('Who are you?', { status: 401 })
  // The same event may come twice.
  if (seen.has(id)) return new Response('I know that')
  seen.add(id)
  const { type, data } = JSON.parse(body)

  return new Response(type === 'order.cancelled' ? `Order ${data.id} goes back` : 'Thanks')
}
