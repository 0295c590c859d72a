import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Connections whose clients wait for an answer that never comes. */
const unanswered = new WeakSet<object>()

/** Leaves a connection open without an answer, until its client gives up or the server ends. */
export function leaveUnanswered(socket: object): void {
  unanswered.add(socket)
}

/** Has a server close such connections with its idle ones, or they would keep it from ending. */
export function closeUnanswered(server: Server): void {
  const sockets = trackSockets(server)
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdle()
    for (const socket of sockets) if (unanswered.has(socket)) socket.destroy()
  }
}

/** The open connections of a server, as they come and go from now on. */
export function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}
