import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { findFreePort } from '../free-port.ts'

/** A server that speaks the protocol of Redis and knows only a few commands. */
export interface FakeRedis {
  readonly port: number
  readonly close: () => Promise<void>
}

const COMMAND = /\*\d+\r\n\$\d+\r\n(?<name>\w+)/g

/** Starts a server with these facts about itself, such as `redis_version:6.2.6`. Without facts, it never answers. */
export async function startFakeRedis(facts: readonly string[]): Promise<FakeRedis> {
  const port = await findFreePort()
  const info = `# Server\r\n${facts.join('\r\n')}\r\n`
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      if (facts.length === 0) return
      for (const { groups } of String(bytes).matchAll(COMMAND)) {
        socket.write(answerOf(groups?.name ?? '', info))
      }
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')

  return {
    port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answerOf(name: string, info: string): string {
  const command = name.toLowerCase()
  if (command === 'info') return `$${info.length}\r\n${info}\r\n`
  return command === 'client' || command === 'auth'
    ? '+OK\r\n'
    : `-ERR unknown command '${command}'\r\n`
}
