import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Connections whose clients wait for a response that never comes. */
const unanswered = new WeakSet<object>()

/** Leaves a connection open without a response, until the client disconnects or the server closes. */
export function leaveUnanswered(socket: object): void {
  unanswered.add(socket)
}

/** Makes a server close these connections with its idle ones. Otherwise they would keep it open. */
export function closeUnanswered(server: Server): void {
  const sockets = trackSockets(server)
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdle()
    for (const socket of sockets) if (unanswered.has(socket)) socket.destroy()
  }
}

/** The open connections of a server. The set changes as connections open and close. */
export function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}
