// Sends requests, and reads whole responses.
import { Agent, request } from 'node:http'

const TIMEOUT = 10_000

const agent = new Agent({ keepAlive: true, maxSockets: 4 })

/**
 * `{ status, headers, body, milliseconds }`, or `{ failure }` for a request without a response.
 */
export function send(port, { method, path, headers, body }) {
  return new Promise((resolve) => {
    const fail = ({ message }) => resolve({ failure: message })
    const began = performance.now()
    const length = body !== undefined && { 'content-length': Buffer.byteLength(body) }
    const options = { host: '127.0.0.1', port, agent, method, path }
    try {
      const sent = request({ ...options, headers: { ...headers, ...length } }, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', fail)
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
            milliseconds: performance.now() - began,
          }),
        )
      })
      sent.setTimeout(TIMEOUT, () => sent.destroy(new Error(`no response in ${TIMEOUT / 1000} s`)))
      sent.on('error', fail)
      sent.end(body)
    } catch (error) {
      fail(error)
    }
  })
}
