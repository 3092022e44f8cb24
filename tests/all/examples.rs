//! The examples, which check themselves.

#[path = "../../examples/own_player.rs"]
mod own_player;
#[path = "../../examples/play_loop.rs"]
mod play_loop;
#[path = "../../examples/shared_game.rs"]
mod shared_game;

#[test]
fn a_player_of_ones_own_plays() {
    own_player::main().unwrap();
}

#[test]
fn a_loop_plays_and_explains_mistakes() {
    play_loop::main().unwrap();
}

#[test]
fn of_two_clients_with_the_same_move_one_is_stale() {
    shared_game::main().unwrap();
}
