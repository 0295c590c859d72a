export {
  type ExpressHandler,
  type ExpressRequest,
  type ExpressResponse,
  toExpress,
} from './transports/express.ts'
