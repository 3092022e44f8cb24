//! Sockets: those that are listened on, and those of connections.

#[cfg(unix)]
use std::fs;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs};
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt};
#[cfg(unix)]
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};

#[cfg(unix)]
use nix::sys::stat::{Mode, umask};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

use super::Address;

/// The connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// A socket that is listened on.
pub(super) enum Listener {
    Tcp(TcpListener),
    /// The file of the socket is removed at the end, if it is still this one.
    #[cfg(unix)]
    Unix(UnixListener, PathBuf, (u64, u64)),
}

impl Listener {
    /// Begins to listen.
    pub(super) fn bind(address: &Address) -> io::Result<Self> {
        match address {
            Address::Tcp(address) => bind_tcp(address).map(Self::Tcp),
            #[cfg(unix)]
            Address::Unix(path) => bind_unix(path),
            #[cfg(not(unix))]
            Address::Unix(_) => Err(io::Error::other("Unix sockets are for Unix: use HOST:PORT")),
        }
    }

    /// Accepts a connection, and tells who it is.
    pub(super) async fn accept(&self) -> io::Result<(Stream, String)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, from) = listener.accept().await?;
                // A reply is small and somebody waits for it.
                stream.set_nodelay(true)?;
                Ok((Stream::Tcp(stream), from.to_string()))
            }
            #[cfg(unix)]
            Self::Unix(listener, ..) => {
                let (stream, _) = listener.accept().await?;
                let user = stream.peer_cred().map(|peer| format!("user {}", peer.uid()));
                Ok((Stream::Unix(stream), user.unwrap_or_else(|_| "this machine".to_owned())))
            }
        }
    }

    /// The address that TCP clients connect to.
    pub(super) fn local_addr(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            #[cfg(unix)]
            Self::Unix(..) => None,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Self::Unix(_, path, identity) = self
            && identity_of(path).is_ok_and(|there| there == *identity)
        {
            let _ = fs::remove_file(path);
        }
    }
}

fn bind_tcp(address: &str) -> io::Result<TcpListener> {
    let mut last = None;
    for address in address.to_socket_addrs()? {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
        let bound = socket.and_then(|socket| {
            // What an earlier server left behind keeps nobody waiting.
            #[cfg(unix)]
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            socket.listen(BACKLOG)
        });
        match bound {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::new(ErrorKind::NotFound, "it has no address")))
}

/// Listens on a Unix socket that its owner alone may use. One that nobody listens on is replaced.
#[cfg(unix)]
fn bind_unix(path: &Path) -> io::Result<Listener> {
    match fs::symlink_metadata(path) {
        Ok(there) if !there.file_type().is_socket() => {
            return Err(io::Error::other(
                "something else is there, and no socket: it is left as it is",
            ));
        }
        Ok(_) => match std::os::unix::net::UnixStream::connect(path) {
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path)?,
            Err(error) => return Err(error),
            Ok(_) => return Err(io::Error::other("another server listens there")),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // There is one thread so far, so that this mask is for no other file.
    let mask = umask(Mode::from_bits_truncate(0o177));
    let bound = UnixListener::bind(path);
    umask(mask);
    Ok(Listener::Unix(bound?, path.to_owned(), identity_of(path)?))
}

#[cfg(unix)]
fn identity_of(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|file| (file.dev(), file.ino()))
}

/// The socket of a connection.
pub(super) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Stream {
    /// Reads into `buffer`, and returns the number of bytes: 0 at the end.
    pub(super) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(buffer);
        let read = match self {
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, &mut buffer),
            #[cfg(unix)]
            Self::Unix(stream) => Pin::new(stream).poll_read(context, &mut buffer),
        };
        read.map_ok(|()| buffer.filled().len())
    }

    /// Writes a part of `bytes`, and returns how much of them.
    pub(super) fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            #[cfg(unix)]
            Self::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    /// Says that nothing more is written.
    pub(super) fn poll_shutdown(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            #[cfg(unix)]
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }

    /// Writes what can be written at once.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.try_write(bytes),
            #[cfg(unix)]
            Self::Unix(stream) => stream.try_write(bytes),
        }
    }
}
